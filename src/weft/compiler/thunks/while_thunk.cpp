#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include <weft/compiler/passes/rewrite.h>
#include <weft/compiler/thunks/control_thunk.h>
#include <weft/compiler/thunks/copy_thunk.h>
#include <weft/compiler/thunks/region.h>
#include <weft/ir/builder.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

// Some carried values never change and stay where they are. The next value of each other one takes over the bytes of a carried value if the
// body allows it. A value without such a donor alternates between two places: its result's and a spare one in scratch memory.
struct WhilePlan {
  Region condition, body;             // the body returns only the changing values
  std::vector<std::size_t> changing;  // the carried values that change
  // For each changing value:
  std::vector<std::uint64_t> bytes = {};
  std::vector<std::ptrdiff_t> donors = {};  // the value whose bytes its next value takes over; -1: none
  std::vector<std::uint64_t> spares = {};   // without a donor: offset of the spare place
  std::vector<std::size_t> freed = {};      // without a donor: the value whose former place becomes the next spare
  // The values that exchange places, each with the offset of a temporary place for the final copy.
  std::vector<std::pair<std::size_t, std::uint64_t>> stages = {};
  std::uint64_t answer = 0, temporaries = 0, scratch_bytes = 0;
};

class WhileThunk final : public runtime::Thunk {
 public:
  WhileThunk(std::shared_ptr<const WhilePlan> plan, std::span<const Slice> from, std::span<const Slice> to,
             const Slice& scratch, bool is_on_nvidia)
      : plan_(std::move(plan)), initial_(from.begin(), from.end()), result_(to.begin(), to.end()), scratch_(scratch) {
    on_device = is_on_nvidia;
  }

  void run(const runtime::Launch& launch) const override { loop({&launch, 1}); }
  void run_together(std::span<const runtime::Launch> launches) const override { loop(launches); }

 private:
  // Where the carried values of one device are.
  struct Carried {
    std::byte* scratch;
    std::vector<std::byte*> all, current, next, spare;  // all except the first: for each changing value
    std::byte* answer;
  };
  using Launches = std::span<const runtime::Launch>;
  using Addresses = std::vector<Region::Addresses>;  // for each device; reused, because rounds may be short

  void loop(Launches launches) const {
    const WhilePlan& p = *plan_;
    std::vector<Carried> devices;
    for (const runtime::Launch& launch : launches) devices.push_back(begin(launch));
    Addresses addresses;
    while (goes_on(launches, devices, addresses)) {
      addresses.clear();
      for (Carried& device : devices) {
        for (std::size_t k = 0; k < p.changing.size(); ++k)
          device.next[k] = p.donors[k] < 0 ? device.spare[k] : device.current[p.donors[k]];
        addresses.push_back({device.all, device.next, device.scratch + p.temporaries});
      }
      run_region(p.body, launches, addresses);
      for (Carried& device : devices) {
        for (std::size_t k = 0; k < p.changing.size(); ++k)
          if (p.donors[k] < 0) device.spare[k] = device.current[p.freed[k]];
        device.current.swap(device.next);
      }
    }
    for (std::size_t i = 0; i < launches.size(); ++i) end(launches[i], devices[i]);
  }

  Carried begin(const runtime::Launch& launch) const {
    const WhilePlan& p = *plan_;
    const std::size_t count = p.changing.size();
    Carried device{.scratch = launch.at(scratch_), .all = {}, .current = {}, .next = {}, .spare = {}, .answer = {}};
    device.answer = device.scratch + p.answer;
    for (auto* const places : {&device.current, &device.next, &device.spare}) places->resize(count);
    for (const Slice& slice : initial_) device.all.push_back(launch.at(slice));
    for (std::size_t k = 0; k < count; ++k) {
      device.current[k] = launch.at(result_[k]);
      copy_on_gpu(launch, device.all[p.changing[k]], device.current[k], p.bytes[k], on_device);
      if (p.donors[k] < 0) device.spare[k] = device.scratch + p.spares[k];
    }
    return device;
  }

  bool goes_on(Launches launches, std::span<Carried> devices, Addresses& addresses) const {
    const WhilePlan& p = *plan_;
    addresses.clear();
    for (Carried& device : devices) {
      for (std::size_t k = 0; k < p.changing.size(); ++k) device.all[p.changing[k]] = device.current[k];
      addresses.push_back({device.all, {&device.answer, 1}, device.scratch + p.temporaries});
    }
    run_region(p.condition, launches, addresses);
    const std::byte answer = read_from_gpu(launches[0], devices[0].answer, on_device);
    for (const Carried& device : devices)
      require(on_device || *device.answer == answer,
              "while: the devices of the mesh disagree on whether to go on, but meet in collectives of the loop");
    return answer != std::byte{0};
  }

  void end(const runtime::Launch& launch, Carried& device) const {
    const WhilePlan& p = *plan_;
    for (const auto& [k, offset] : p.stages) {
      if (device.current[k] == launch.at(result_[k])) continue;
      copy_on_gpu(launch, device.current[k], device.scratch + offset, p.bytes[k], on_device);
      device.current[k] = device.scratch + offset;
    }
    for (std::size_t k = 0; k < p.changing.size(); ++k)
      copy_on_gpu(launch, device.current[k], launch.at(result_[k]), p.bytes[k], on_device);
  }

  static void run_region(const Region& region, Launches launches, const Addresses& addresses) {
    if (launches.size() == 1) return region.run(launches[0], addresses[0]);
    region.run_together(launches, addresses);
  }

  std::shared_ptr<const WhilePlan> plan_;
  std::vector<Slice> initial_, result_;
  Slice scratch_;
};

// A donor and the value that takes over its bytes have the same size. So the values that donate nothing and those without a donor have the
// same sizes: each value without a donor is paired with a value that donates nothing, with itself if possible.
void find_freed(WhilePlan& plan) {
  const std::size_t count = plan.bytes.size();
  std::vector<char> taken(count);
  for (const std::ptrdiff_t donor : plan.donors)
    if (donor >= 0) taken[donor] = 1;
  plan.freed.assign(count, count);
  const auto pair = [&](std::size_t k, std::size_t with) {
    if (plan.donors[k] >= 0 || plan.freed[k] != count || taken[with] || plan.bytes[k] != plan.bytes[with]) return;
    plan.freed[k] = with;
    taken[with] = 1;
  };
  for (std::size_t k = 0; k < count; ++k) pair(k, k);
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t with = 0; with < count; ++with) pair(k, with);
}

void place(WhilePlan& plan) {
  const auto take = [&](std::uint64_t bytes) {
    return std::exchange(plan.scratch_bytes, plan.scratch_bytes + (bytes + 63) / 64 * 64);
  };
  plan.answer = take(1);
  plan.temporaries = take(std::max(plan.condition.temporary_bytes(), plan.body.temporary_bytes()));
  for (std::size_t k = 0; k < plan.bytes.size(); ++k) {
    plan.spares.push_back(plan.donors[k] < 0 ? take(plan.bytes[k]) : 0);
    const std::size_t from = plan.donors[k] < 0 ? plan.freed[k] : plan.donors[k];
    if (from != k) plan.stages.emplace_back(k, take(plan.bytes[k]));
  }
}

// Returns the body with only the outputs that change.
std::shared_ptr<const ir::Graph> body_of(const ir::Graph& body, std::span<const std::size_t> changing) {
  auto copy = copy_of(body);  // with the nodes that run for their effect
  std::vector<ir::Value> outputs;
  for (const std::size_t i : changing) outputs.push_back(copy->outputs()[i]);
  copy->set_outputs(std::move(outputs));
  return without_dead_nodes(*copy);
}

// A loop that is one kernel runs on the host, for which a GPU waits once. With much state, the copies would take longer than the waits of each
// round.
bool suits_host(const ir::Node& loop, const Target& target) {
  constexpr std::uint64_t much = 64 << 10;
  std::uint64_t bytes = 0;
  for (const ir::Value carried : loop.operands) bytes += carried.type().bytes();
  return !target.is_gpu || bytes <= much;
}

std::vector<bool> may_overwrite(const ir::Node& loop, std::span<const std::size_t> changing) {
  std::vector<bool> result(loop.operands.size());
  for (const std::size_t i : changing) result[i] = true;
  return result;
}

WhilePlan while_plan(const ir::Node& node, const std::vector<std::size_t>& changing, Region condition, Region body,
                     const SizeValues& sizes) {
  WhilePlan plan{.condition = std::move(condition), .body = std::move(body), .changing = changing};
  for (std::size_t k = 0; k < changing.size(); ++k) {
    plan.bytes.push_back(sizes(node.types[changing[k]]).bytes());
    const int donor = plan.body.donor(k);
    plan.donors.push_back(donor < 0 ? -1
                                    : std::ranges::find(changing, static_cast<std::size_t>(donor)) - changing.begin());
  }
  find_freed(plan);
  place(plan);
  return plan;
}

void set_plan(Unit& unit, WhilePlan made, bool is_on_nvidia) {
  const auto plan = std::make_shared<const WhilePlan>(std::move(made));
  unit.scratch_bytes = plan->scratch_bytes;
  unit.thunk().make = [plan, is_on_nvidia](std::span<const Slice> reads, std::span<const Slice> writes,
                                           const Slice& scratch) {
    auto thunk = std::make_unique<WhileThunk>(plan, reads, writes, scratch, is_on_nvidia);
    thunk->meets = plan->condition.meets() || plan->body.meets();
    return thunk;
  };
}

}  // namespace

LoopUnit loop_unit(const ir::Node& loop) {
  LoopUnit result{unit_of(loop), {}};
  std::vector<bool> used(loop.types.size());
  const auto use = [&](ir::Value v) {
    if (v.node == &loop) used[v.index] = true;
  };
  for (const ir::Node* n : loop.graph->nodes()) std::ranges::for_each(n->operands, use);
  std::ranges::for_each(loop.graph->outputs(), use);
  Unit& unit = result.unit;
  unit.writes.clear();
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i] && loop.regions[1]->outputs()[i] == loop.regions[1]->inputs()[i]) continue;
    if (std::ranges::count(unit.reads, unit.reads[i]) == 1)
      unit.in_place.emplace_back(static_cast<int>(unit.writes.size()), static_cast<int>(i));
    unit.writes.push_back({const_cast<ir::Node*>(&loop), static_cast<std::uint32_t>(i)});
    result.changing.push_back(i);
  }
  return result;
}

Unit while_unit(const ir::Node& node, const NativeContext& context) {
  if (ir::is_static(node) && suits_host(node, *context.options.target))
    if (auto kernel = while_kernel_unit(node, context)) return std::move(*kernel);
  auto [unit, changing] = loop_unit(node);
  unit.info.category = "while";
  const auto compiled_for = [&, &changed = changing](const Target& machine) {
    return std::pair{
        RegionProgram(region_of(node, 0), context, {}, &machine),
        RegionProgram(body_of(*node.regions[1], changed), context, may_overwrite(node, changed), &machine)};
  };
  const Target* target = context.options.target;
  auto regions = compiled_for(*target);
  if (!regions.first.is_complete() || !regions.second.is_complete()) {
    target = &target->of_thunks();
    regions = compiled_for(*target);
  }
  const auto [condition, body] = std::move(regions);
  std::vector<Size> sizes = condition.sizes();
  std::ranges::copy(body.sizes(), std::back_inserter(sizes));
  set_form(unit, std::move(sizes),
           [&node, first = condition, then = body, changed = std::move(changing),
            target](const SizeValues& values) -> std::optional<Unit> {
             auto known_condition = first.at(values), known_body = then.at(values);
             if (!known_condition || !known_body) return std::nullopt;
             Unit made;
             set_plan(made, while_plan(node, changed, std::move(*known_condition), std::move(*known_body), values),
                      target->is_nvidia());
             return made;
           });
  return std::move(unit);
}

}  // namespace weft::compiler
