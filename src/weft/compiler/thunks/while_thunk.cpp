#include <algorithm>
#include <cstring>
#include <numeric>

#include <weft/compiler/thunks/control_thunk.h>
#include <weft/compiler/thunks/region.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

// The body takes the bytes of the carried values over where it can: those values stay where they are. Each other one alternates
// between two places, its result's and a spare one in the scratch.
struct Plan {
  Region condition, body;
  std::vector<std::uint64_t> bytes = {};   // of each carried value
  std::vector<std::uint64_t> spares = {};  // offset of the spare place, of the values without a donor
  std::vector<std::size_t> freed = {};  // of the values without a donor: whose former place becomes the next spare one
  std::vector<std::uint64_t> stages =
      {};  // offset of a place to go through at the end, if values change places among themselves
  std::uint64_t answer = 0, temporaries = 0, scratch_bytes = 0;
};

class WhileThunk final : public runtime::Thunk {
 public:
  WhileThunk(std::shared_ptr<const Plan> plan, std::span<const Slice> from, std::span<const Slice> to,
             const Slice& scratch)
      : plan_(std::move(plan)), initial_(from.begin(), from.end()), result_(to.begin(), to.end()), scratch_(scratch) {}

  void run(const runtime::Launch& launch) const override {
    const Plan& p = *plan_;
    const std::size_t count = p.bytes.size();
    std::byte* const scratch = launch.at(scratch_);
    std::vector<std::byte*> current(count), next(count), spare(count);
    for (std::size_t i = 0; i < count; ++i) {
      current[i] = launch.at(result_[i]);
      move(launch.at(initial_[i]), current[i], p.bytes[i]);
      if (p.body.donor(i) < 0) spare[i] = scratch + p.spares[i];
    }
    std::byte* const answer = scratch + p.answer;
    while (true) {
      p.condition.run(launch.step, current, std::span(&answer, 1), scratch + p.temporaries);
      if (*answer == std::byte{0}) break;
      for (std::size_t i = 0; i < count; ++i) {
        const int donor = p.body.donor(i);
        next[i] = donor < 0 ? spare[i] : current[static_cast<std::size_t>(donor)];
      }
      p.body.run(launch.step, current, next, scratch + p.temporaries);
      for (std::size_t i = 0; i < count; ++i)
        if (p.body.donor(i) < 0) spare[i] = current[p.freed[i]];
      current.swap(next);
    }
    for (std::size_t i = 0; i < p.stages.size(); ++i) {
      move(current[i], scratch + p.stages[i], p.bytes[i]);
      current[i] = scratch + p.stages[i];
    }
    for (std::size_t i = 0; i < count; ++i) move(current[i], launch.at(result_[i]), p.bytes[i]);
  }

 private:
  static void move(const std::byte* from, std::byte* to, std::uint64_t bytes) {
    if (from != to && bytes) std::memcpy(to, from, bytes);
  }

  std::shared_ptr<const Plan> plan_;
  std::vector<Slice> initial_, result_;
  Slice scratch_;
};

// A donor has the bytes of what it gives them to, so the values that give none and those that get none have the same sizes: each
// of the latter finds a partner, itself where possible.
void find_freed(Plan& plan) {
  const std::size_t count = plan.bytes.size();
  std::vector<char> taken(count);
  for (std::size_t i = 0; i < count; ++i)
    if (plan.body.donor(i) >= 0) taken[static_cast<std::size_t>(plan.body.donor(i))] = 1;
  plan.freed.assign(count, count);
  const auto pair = [&](std::size_t i, std::size_t with) {
    if (plan.body.donor(i) >= 0 || plan.freed[i] != count || taken[with] || plan.bytes[i] != plan.bytes[with]) return;
    plan.freed[i] = with;
    taken[with] = 1;
  };
  for (std::size_t i = 0; i < count; ++i) pair(i, i);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t with = 0; with < count; ++with) pair(i, with);
}

void place(Plan& plan) {
  const auto take = [&](std::uint64_t bytes) {
    return std::exchange(plan.scratch_bytes, plan.scratch_bytes + (bytes + 63) / 64 * 64);
  };
  plan.answer = take(1);
  plan.temporaries = take(std::max(plan.condition.temporary_bytes(), plan.body.temporary_bytes()));
  bool moves = false;
  for (std::size_t i = 0; i < plan.bytes.size(); ++i) {
    const int donor = plan.body.donor(i);
    plan.spares.push_back(donor < 0 ? take(plan.bytes[i]) : 0);
    moves = moves || (donor < 0 ? plan.freed[i] : static_cast<std::size_t>(donor)) != i;
  }
  for (std::size_t i = 0; moves && i < plan.bytes.size(); ++i) plan.stages.push_back(take(plan.bytes[i]));
}

}  // namespace

Unit while_unit(const ir::Node& node, const NativeContext& context) {
  if (auto kernel = while_kernel_unit(node, context)) return std::move(*kernel);
  auto plan = std::make_shared<Plan>(
      Plan{.condition = Region(*node.regions[0], context, false), .body = Region(*node.regions[1], context, true)});
  for (const Type type : node.types) plan->bytes.push_back(static_cast<std::uint64_t>(type.bytes()));
  find_freed(*plan);
  place(*plan);
  Unit unit = unit_of(node);
  share_operands(unit);
  unit.info.category = "while";
  unit.scratch_bytes = plan->scratch_bytes;
  unit.make = [plan](std::span<const Slice> reads, std::span<const Slice> writes, const Slice& scratch) {
    return std::make_unique<WhileThunk>(plan, reads, writes, scratch);
  };
  return unit;
}

}  // namespace weft::compiler
