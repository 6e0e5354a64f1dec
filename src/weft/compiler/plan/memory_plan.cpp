#include <weft/compiler/plan/memory_plan.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <new>
#include <numeric>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <weft/ir/ops.h>

namespace weft::compiler {

using ir::Value;
using runtime::Allocation;
using runtime::Slice;
namespace ops = ir::ops;

namespace {

constexpr std::uint64_t alignment = 64;
constexpr std::uint64_t align(std::uint64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }
Size align(Size bytes) { return bytes.is_constant() ? Size(align(bytes.value())) : bytes; }

Size bytes_of(Type type) {
  return type.is_static() ? Size(type.bytes()) : product_of(type.dims()) * Size(byte_size(type.dtype()));
}

class MemoryPlanner {
 public:
  MemoryPlanner(const ir::Graph& graph, std::vector<Unit>& units, const std::vector<bool>& donatable,
                const UnitMaker& maker)
      : graph_(graph), units_(units), donatable_(donatable), maker_(maker) {}

  MemoryPlan run() {
    for (const Value input : graph_.inputs()) {
      const std::uint32_t index = plan_.inputs.size();
      plan_.inputs.push_back(input.type());
      home_[input] = allocate({Allocation::Kind::input, index, bytes_of(input.type())});
    }
    find_lives();
    place_outputs();
    place_constants();
    place_temporaries();
    bind();
    return std::move(plan_);
  }

 private:
  std::uint32_t allocate(MemoryPlan::Allocation allocation) {
    plan_.allocations.push_back(std::move(allocation));
    return plan_.allocations.size() - 1;
  }

  void find_lives() {
    for (int u = 0; u < std::ssize(units_); ++u) {
      const Unit& unit = units_[u];
      for (const Value v : unit.writes) made_[v] = last_[v] = u;
      for (const Value v : unit.reads) last_[v] = u;
      for (const auto& [write, read] : unit.in_place) sharing_[unit.writes[write]].push_back(unit.reads[read]);
    }
    find_lives_beside_collectives();
    for (const Unit& unit : units_) {
      if (unit.stream == runtime::StreamKind::compute || unit.stream == runtime::StreamKind::communication) continue;
      for (const auto* values : {&unit.reads, &unit.writes})
        for (const Value v : *values)
          if (made_.contains(v)) stays_.insert(v);
    }
    for (const Value v : stays_) last_[v] = std::ssize(units_) - 1;
  }

  // What a collective touches lives until the compute stream waits for that collective, or for a later one. Reusing its bytes earlier would
  // make the compute stream wait for them.
  void find_lives_beside_collectives() {
    const auto is_collective = [](const Unit& unit) { return unit.stream == runtime::StreamKind::communication; };
    if (std::ranges::none_of(units_, is_collective)) return;
    std::unordered_map<Value, int, ir::ValueHash> first_user;
    for (int u = std::ssize(units_) - 1; u >= 0; --u)
      if (!is_collective(units_[u]))
        for (const Value v : units_[u].reads) first_user[v] = u;
    std::unordered_set<Value, ir::ValueHash> outputs;
    for (const Value v : graph_.outputs()) outputs.insert(storage_of(v));
    int awaited = std::ssize(units_) - 1;
    for (int u = awaited; u >= 0; --u) {
      if (!is_collective(units_[u])) continue;
      for (const Value v : units_[u].writes)
        if (const auto user = first_user.find(v); user != first_user.end()) awaited = std::min(awaited, user->second);
      std::unordered_set<Value, ir::ValueHash> overwritten;
      // An output has memory of its own.
      for (const auto& [write, read] : units_[u].in_place)
        if (last_[units_[u].reads[read]] == u && !outputs.contains(units_[u].writes[write]))
          overwritten.insert(units_[u].reads[read]);
      for (const auto* values : {&units_[u].reads, &units_[u].writes})
        for (const Value v : *values)
          if (!overwritten.contains(v)) last_[v] = std::max(last_[v], awaited);
    }
  }

  // Returns the values read by the unit that makes this value, whose bytes the value may overwrite.
  std::span<const Value> sharing(Value write) const {
    const auto found = sharing_.find(write);
    return found == sharing_.end() ? std::span<const Value>() : found->second;
  }

  // Collects the inputs that may be donated, by size; the last one read comes first.
  void find_donors() {
    for (std::size_t i = 0; i < std::min(graph_.inputs().size(), donatable_.size()); ++i) {
      const Value input = graph_.inputs()[i];
      if (!donatable_[i] || taken_.contains(input)) continue;
      const auto last = last_.find(input);
      donors_[bytes_of(input.type()).bits()].emplace(last == last_.end() ? 1 : -last->second, static_cast<int>(i));
    }
  }

  // Returns an input whose bytes the value made by `unit` takes over, preferably one last read there; -1 if there is none.
  int take_donor(Value value, int unit) {
    const auto found = donors_.find(bytes_of(value.type()).bits());
    if (found == donors_.end()) return -1;
    auto& donors = found->second;
    for (auto at = donors.lower_bound({-unit, 0}); at != donors.end(); ++at) {
      const int input = at->second;
      const auto shared = sharing(value);
      if (at->first == -unit && std::ranges::find(shared, graph_.inputs()[input]) == shared.end()) continue;
      donors.erase(at);
      return input;
    }
    return -1;
  }

  // Returns an input that is last read by the unit that makes the value, which may overwrite it there; -1 if there is none.
  int take_own_donor(Value value) {
    const auto found = donors_.find(bytes_of(value.type()).bits());
    if (found == donors_.end()) return -1;
    const int unit = made_.at(value);
    for (auto at = found->second.lower_bound({-unit, 0}); at != found->second.end() && at->first == -unit; ++at) {
      const int input = at->second;
      if (std::ranges::find(sharing(value), graph_.inputs()[input]) == sharing(value).end()) continue;
      found->second.erase(at);
      return input;
    }
    return -1;
  }

  // Returns a temporary value that is last read by the unit that makes `value`, which may overwrite it; an empty value if there is none.
  Value predecessor(Value value) const {
    for (const Value read : sharing(value))
      if (made_.contains(read) && last_.at(read) == made_.at(value) &&
          bytes_of(read.type()) == bytes_of(value.type()) && !stored_.contains(read) && !stays_.contains(read) &&
          !home_.contains(read))
        return read;
    return {};
  }

  // Returns an input that becomes the output through a chain of values that are changed in place.
  int take_donor_of_chain(Value output, std::uint32_t allocation) {
    std::vector<Value> chain;
    for (Value v = predecessor(output); v; v = predecessor(v)) {
      chain.push_back(v);
      const int donor = take_own_donor(v);
      if (donor < 0) continue;
      for (const Value in_place : chain) home_[in_place] = allocation;
      return donor;
    }
    return -1;
  }

  // Values that are changed in place choose first: otherwise they would have to be copied.
  void choose_donors() {
    const auto each = [&](auto&& take) {
      for (std::size_t j = 0; j < plan_.outputs.size(); ++j) {
        runtime::Output& output = plan_.outputs[j];
        const Value value = storage_of(graph_.outputs()[j]);
        const auto home = home_.find(value);
        if (output.donated_input >= 0 || home == home_.end() || home->second != output.allocation) continue;
        output.donated_input = take(value, output.allocation);
      }
    };
    each([&](Value value, std::uint32_t) { return take_own_donor(value); });
    each([&](Value value, std::uint32_t allocation) { return take_donor_of_chain(value, allocation); });
    each([&](Value value, std::uint32_t) { return take_donor(value, made_.at(value)); });
    // Without a donor, the values that become the output in place are made in the output's own memory.
    each([&](Value value, std::uint32_t allocation) {
      for (Value v = predecessor(value); v; v = predecessor(v)) home_[v] = allocation;
      return -1;
    });
  }

  void place_outputs() {
    // Copies read their values at the very end. This must be known before memory is reused.
    std::vector<char> copied(graph_.outputs().size());
    for (std::size_t j = 0; j < graph_.outputs().size(); ++j) {
      const Value value = storage_of(graph_.outputs()[j]);
      const bool twice = !stored_.emplace(value, true).second;
      copied[j] = twice || (!made_.contains(value) && !pass_through(value));
      if (copied[j]) last_[value] = units_.size();
    }
    find_donors();
    for (std::size_t j = 0; j < graph_.outputs().size(); ++j) {
      const Value value = storage_of(graph_.outputs()[j]);
      runtime::Output output{graph_.outputs()[j].type(), 0, -1};
      output.allocation = allocate({Allocation::Kind::output, static_cast<std::uint32_t>(j), bytes_of(value.type())});
      if (copied[j]) {
        copies_[units_.size()] = output.allocation;
        units_.push_back(maker_.make_copy(value));
      } else if (made_.contains(value)) {
        home_[value] = output.allocation;
      } else {
        output.donated_input = value.node->attributes<ir::ParameterAttributes>().index;
      }
      plan_.outputs.push_back(output);
    }
    choose_donors();
  }

  // Returns whether the value is an input that is returned unchanged and may be donated.
  bool pass_through(Value value) {
    const auto* parameter = value.node->attributes_if<ir::ParameterAttributes>();
    if (!parameter) return false;
    const std::size_t index = parameter->index;
    if (index >= donatable_.size() || !donatable_[index] || taken_.contains(value)) return false;
    return taken_[value] = true;
  }

  void place_constants() {
    for (const Unit& unit : units_)
      for (const Value v : unit.reads) {
        if (!ir::literal_of(v) || home_.contains(v) || made_.contains(v)) continue;
        const ir::Literal& literal = *ir::literal_of(v);
        require(v.type().is_static(), "compile: the constant ", v.type(),
                " would have to be stored, but its size is not known");
        const std::size_t bytes = v.type().bytes();
        const std::shared_ptr<std::byte> copy = constant_memory(bytes);
        if (literal.is_splat()) {
          for (std::size_t at = 0; at < bytes; at += literal.bytes.size())
            std::memcpy(copy.get() + at, literal.bytes.data(), literal.bytes.size());
        } else {
          std::copy_n(literal.bytes.data(), bytes, copy.get());  // also if there are no elements
        }
        home_[v] = allocate({Allocation::Kind::constant, 0, Size(bytes), copy});
      }
  }

  void place_temporaries() {
    std::vector<MemoryPlan::Lifetime>& lifetimes = plan_.lifetimes;
    std::unordered_map<Value, std::size_t, ir::ValueHash> slot_of;
    std::vector<Value> order;
    for (int u = 0; u < std::ssize(units_); ++u) {
      const Unit& unit = units_[u];
      for (const Value v : unit.writes) {
        if (home_.contains(v) || slot_of.contains(v) || copies_.contains(u)) continue;
        const Size bytes = align(bytes_of(v.type()));
        order.push_back(v);
        if (const int reused = reusable(u, v, bytes, slot_of); reused >= 0) {
          slot_of[v] = reused;
          lifetimes[reused].last = last_[v];
          continue;
        }
        slot_of[v] = lifetimes.size();
        lifetimes.push_back({bytes, stays_.contains(v) ? 0 : u, last_[v]});
      }
    }
    const std::size_t first_scratch = lifetimes.size();
    for (int u = 0; u < std::ssize(units_); ++u)
      if (const Unit& unit = units_[u]; unit.scratch_bytes || unit.sized_later()) lifetimes.push_back({0, u, u, u});
    std::vector<std::uint32_t> allocation(lifetimes.size());
    for (std::size_t i = 0; i < lifetimes.size(); ++i)
      allocation[i] = allocate({Allocation::Kind::temporary, static_cast<std::uint32_t>(i), lifetimes[i].bytes});
    for (const Value v : order) home_[v] = allocation[slot_of[v]];
    plan_.scratch.assign(units_.size(), -1);
    for (std::size_t i = first_scratch; i < lifetimes.size(); ++i)
      plan_.scratch[lifetimes[i].scratch_of] = allocation[i];
  }

  // Returns the slot of a value that dies in this unit and whose bytes the new value may overwrite.
  int reusable(int u, Value v, Size bytes, const std::unordered_map<Value, std::size_t, ir::ValueHash>& slot_of) const {
    for (const Value read : sharing(v)) {
      const auto slot = slot_of.find(read);
      if (slot == slot_of.end()) continue;
      const MemoryPlan::Lifetime& life = plan_.lifetimes[slot->second];
      if (life.last == u && life.bytes == bytes) return slot->second;
    }
    return -1;
  }

  void bind() {
    const auto place = [&](Value v) {
      const auto home = home_.find(v);
      WEFT_ASSERT(home != home_.end(), "a value has no place in memory: ", v.node->op->name, " ", v.type());
      return MemoryPlan::Place{home->second, bytes_of(v.type())};
    };
    for (int u = 0; u < std::ssize(units_); ++u) {
      const Unit& unit = units_[u];
      auto& reads = plan_.reads.emplace_back();
      auto& writes = plan_.writes.emplace_back();
      for (const Value v : unit.reads) reads.push_back(place(v));
      for (const Value v : unit.writes) {
        const auto copy = copies_.find(u);
        writes.push_back(copy == copies_.end() ? place(v) : MemoryPlan::Place{copy->second, bytes_of(v.type())});
      }
    }
  }

  const ir::Graph& graph_;
  std::vector<Unit>& units_;
  const std::vector<bool>& donatable_;
  const UnitMaker& maker_;
  std::unordered_map<Value, std::uint32_t, ir::ValueHash> home_;  // the allocation of each value
  std::unordered_map<Value, int, ir::ValueHash> made_, last_;     // units
  // Values that other streams use: the compute stream does not reuse their bytes.
  std::unordered_set<Value, ir::ValueHash> stays_;
  std::unordered_map<Value, std::vector<Value>, ir::ValueHash> sharing_;
  std::unordered_map<Value, bool, ir::ValueHash> taken_, stored_;
  // By size: {minus the last unit that reads the input, input}.
  std::unordered_map<std::int64_t, std::set<std::pair<int, int>>> donors_;
  std::map<int, std::uint32_t> copies_;  // units that copy to an output
  MemoryPlan plan_;
};

// Chooses offsets such that no two temporaries alive at the same time overlap: largest first, each at the lowest offset that is free for
// its whole lifetime.
std::shared_ptr<const TemporaryLayout> place(std::span<const MemoryPlan::Lifetime> lives,
                                             std::vector<std::uint64_t> bytes) {
  auto layout = std::make_shared<TemporaryLayout>();
  auto& offsets = layout->offsets;
  offsets.resize(bytes.size());
  std::vector<std::size_t> order(bytes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
  std::vector<std::size_t> placed;  // by offset
  for (const std::size_t i : order) {
    std::uint64_t offset = 0;
    for (const std::size_t other : placed) {
      if (lives[other].last < lives[i].first || lives[i].last < lives[other].first) continue;
      if (offsets[other] >= offset + bytes[i]) break;
      offset = std::max(offset, offsets[other] + bytes[other]);
    }
    offsets[i] = offset;
    layout->end = std::max(layout->end, offset + bytes[i]);
    placed.insert(std::ranges::upper_bound(placed, offset, {}, [&](std::size_t p) { return offsets[p]; }), i);
  }
  layout->bytes = std::move(bytes);
  return layout;
}

}  // namespace

std::shared_ptr<std::byte> constant_memory(std::size_t bytes) {
  constexpr std::align_val_t alignment{64};
  return {static_cast<std::byte*>(::operator new(std::max<std::size_t>(bytes, 1), alignment)),
          [](std::byte* block) { ::operator delete(block, alignment); }};
}

MemoryPlan plan_memory(const ir::Graph& graph, std::vector<Unit>& units, const std::vector<bool>& donatable,
                       const UnitMaker& maker) {
  return MemoryPlanner(graph, units, donatable, maker).run();
}

std::uint64_t peak_bytes(const MemoryPlan& plan, std::span<const Unit> units) {
  std::uint64_t bytes = 0;
  for (const MemoryPlan::Allocation& a : plan.allocations)
    if (a.kind != Allocation::Kind::temporary) bytes += a.bytes.value();
  for (const runtime::Output& output : plan.outputs)
    if (output.donated_input >= 0) bytes -= output.type.bytes();
  std::vector<std::int64_t> changes(units.size() + 1);
  for (const MemoryPlan::Lifetime& life : plan.lifetimes) {
    const std::int64_t own =
        life.scratch_of < 0 ? life.bytes.value() : static_cast<std::int64_t>(units[life.scratch_of].scratch_bytes);
    changes[life.first] += own;
    changes[std::min<std::size_t>(life.last, units.size() - 1) + 1] -= own;
  }
  std::int64_t alive = 0, most = 0;
  for (const std::int64_t change : changes) most = std::max(most, alive += change);
  return bytes + most;
}

std::shared_ptr<const TemporaryLayout> lay_out(const MemoryPlan& plan, const SizeValues& sizes,
                                               std::span<const std::uint64_t> scratch_bytes,
                                               const std::shared_ptr<const TemporaryLayout>& before,
                                               runtime::Executable& executable) {
  const auto bytes = [&](Size size) { return static_cast<std::uint64_t>(sizes(size)); };
  std::vector<std::uint64_t> temporaries;
  for (const MemoryPlan::Lifetime& life : plan.lifetimes)
    temporaries.push_back(align(life.scratch_of < 0 ? bytes(life.bytes) : scratch_bytes[life.scratch_of]));
  const auto layout = before && before->bytes == temporaries ? before : place(plan.lifetimes, std::move(temporaries));
  executable.temporary_bytes = layout->end;
  executable.peak_bytes = executable.temporary_bytes;
  executable.allocations.reserve(plan.allocations.size());
  for (const MemoryPlan::Allocation& a : plan.allocations) {
    Allocation& made = executable.allocations.emplace_back(Allocation{a.kind, a.index, 0, 0, a.constant});
    if (a.kind == Allocation::Kind::temporary) {
      made.index = 0;
      made.bytes = layout->bytes[a.index];
      made.offset = layout->offsets[a.index];
    } else {
      made.bytes = bytes(a.bytes);
      executable.peak_bytes += made.bytes;
    }
  }
  executable.inputs.reserve(plan.inputs.size());
  for (const Type type : plan.inputs) executable.inputs.push_back(sizes(type));
  executable.outputs.reserve(plan.outputs.size());
  for (runtime::Output output : plan.outputs) {
    output.type = sizes(output.type);
    if (output.donated_input >= 0) executable.peak_bytes -= output.type.bytes();
    executable.outputs.push_back(output);
  }
  return layout;
}

std::vector<Slice> slices(std::span<const MemoryPlan::Place> places, const SizeValues& sizes) {
  std::vector<Slice> result;
  result.reserve(places.size());
  for (const MemoryPlan::Place& at : places)
    result.push_back({at.allocation, 0, static_cast<std::uint64_t>(sizes(at.bytes))});
  return result;
}

Slice scratch_slice(const MemoryPlan& plan, std::size_t unit, std::uint64_t bytes) {
  if (plan.scratch[unit] < 0 || bytes == 0) return {};
  return {static_cast<std::uint32_t>(plan.scratch[unit]), 0, bytes};
}

}  // namespace weft::compiler
