#include <weft/compiler/memory_plan.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>

#include <weft/compiler/thunks/copy_thunk.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

using ir::Value;
using runtime::Allocation;
using runtime::Slice;
namespace ops = ir::ops;

namespace {

constexpr std::uint64_t alignment = 64;
constexpr std::uint64_t align(std::uint64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

// A value that lives in the block of temporaries from its first unit to its last.
struct Lifetime {
  std::uint64_t bytes = 0;
  int first = 0, last = 0;
  std::uint64_t offset = 0;
};

// Offsets such that no two values alive at once overlap: largest first, each at the lowest place that is free for its whole life.
std::uint64_t place(std::vector<Lifetime>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return values[a].bytes > values[b].bytes; });
  std::vector<const Lifetime*> placed;  // by offset
  std::uint64_t end = 0;
  for (const std::size_t i : order) {
    Lifetime& value = values[i];
    std::uint64_t offset = 0;
    for (const Lifetime* other : placed) {
      if (other->last < value.first || value.last < other->first) continue;
      if (other->offset >= offset + value.bytes) break;
      offset = std::max(offset, other->offset + other->bytes);
    }
    value.offset = offset;
    end = std::max(end, offset + value.bytes);
    placed.insert(std::ranges::upper_bound(placed, offset, {}, [](const Lifetime* l) { return l->offset; }), &value);
  }
  return end;
}

class Planner {
 public:
  Planner(const ir::Graph& graph, std::vector<Unit>& units, const std::vector<bool>& donatable,
          runtime::Executable& executable)
      : graph_(graph), units_(units), donatable_(donatable), executable_(executable) {}

  MemoryPlan run() {
    for (const Value input : graph_.inputs()) {
      executable_.inputs.push_back(input.type());
      const auto index = static_cast<std::uint32_t>(executable_.inputs.size()) - 1;
      home_[input] =
          allocate({Allocation::Kind::input, index, static_cast<std::uint64_t>(input.type().bytes()), 0, nullptr});
    }
    find_lives();
    place_outputs();
    place_constants();
    place_temporaries();
    return bind();
  }

 private:
  std::uint32_t allocate(Allocation allocation) {
    executable_.allocations.push_back(std::move(allocation));
    return static_cast<std::uint32_t>(executable_.allocations.size()) - 1;
  }

  void find_lives() {
    for (int u = 0; u < static_cast<int>(units_.size()); ++u) {
      for (const Value v : units_[static_cast<std::size_t>(u)].writes) made_[v] = last_[v] = u;
      for (const Value v : units_[static_cast<std::size_t>(u)].reads) last_[v] = u;
    }
  }

  bool may_share(int unit, Value write, Value read) const {
    const Unit& u = units_[static_cast<std::size_t>(unit)];
    return std::ranges::any_of(u.in_place, [&](const auto& pair) {
      return u.writes[static_cast<std::size_t>(pair.first)] == write &&
             u.reads[static_cast<std::size_t>(pair.second)] == read;
    });
  }

  // An input whose bytes the value, made by `unit`, may take over: preferably one that dies right there.
  int donor(Value value, int unit) {
    int best = -1;
    for (std::size_t i = 0; i < graph_.inputs().size(); ++i) {
      const Value input = graph_.inputs()[i];
      if (i >= donatable_.size() || !donatable_[i] || taken_.contains(input) ||
          input.type().bytes() != value.type().bytes())
        continue;
      const auto last = last_.find(input);
      const int end = last == last_.end() ? -1 : last->second;
      if (end > unit || (end == unit && !may_share(unit, value, input))) continue;
      if (best < 0 || end > last_end_) {
        best = static_cast<int>(i);
        last_end_ = end;
      }
    }
    return best;
  }

  void place_outputs() {
    // Copies read their values at the very end, which must be known before bytes are given away.
    std::vector<char> copied(graph_.outputs().size());
    for (std::size_t j = 0; j < graph_.outputs().size(); ++j) {
      const Value value = storage_of(graph_.outputs()[j]);
      const bool twice = !stored_.emplace(value, true).second;
      copied[j] = twice || (!made_.contains(value) && !pass_through(value));
      if (copied[j]) last_[value] = static_cast<int>(units_.size());
    }
    for (std::size_t j = 0; j < graph_.outputs().size(); ++j) {
      const Value value = storage_of(graph_.outputs()[j]);
      runtime::Output output{graph_.outputs()[j].type(), 0, -1};
      output.allocation = allocate({Allocation::Kind::output, static_cast<std::uint32_t>(j),
                                    static_cast<std::uint64_t>(value.type().bytes()), 0, nullptr});
      if (copied[j]) {
        copies_[static_cast<int>(units_.size())] = output.allocation;
        units_.push_back(copy_unit(value));
      } else if (const auto made = made_.find(value); made != made_.end()) {
        last_end_ = -2;
        output.donated_input = donor(value, made->second);
        if (output.donated_input >= 0) taken_[graph_.inputs()[static_cast<std::size_t>(output.donated_input)]] = true;
        home_[value] = output.allocation;
      } else {
        output.donated_input = static_cast<int>(value.node->attributes<ir::ParameterAttributes>().index);
      }
      executable_.outputs.push_back(output);
    }
  }

  // An input that is an output unchanged and may give its bytes away.
  bool pass_through(Value value) {
    if (value.node->op != &ops::parameter) return false;
    const auto index = static_cast<std::size_t>(value.node->attributes<ir::ParameterAttributes>().index);
    if (index >= donatable_.size() || !donatable_[index] || taken_.contains(value)) return false;
    return taken_[value] = true;
  }

  void place_constants() {
    for (const Unit& unit : units_)
      for (const Value v : unit.reads) {
        if (v.node->op != &ops::constant || home_.contains(v)) continue;
        const auto& literal = v.node->attributes<ir::ConstantAttributes>().value;
        const auto bytes = static_cast<std::size_t>(v.type().bytes());
        std::shared_ptr<std::byte[]> copy(new std::byte[std::max<std::size_t>(bytes, 1)]);
        if (literal.is_splat()) {
          for (std::size_t at = 0; at < bytes; at += literal.bytes.size())
            std::memcpy(copy.get() + at, literal.bytes.data(), literal.bytes.size());
        } else {
          std::copy_n(literal.bytes.data(), bytes, copy.get());  // of nothing too
        }
        home_[v] =
            allocate({Allocation::Kind::constant, 0, bytes, 0, std::shared_ptr<const std::byte>(copy, copy.get())});
        constant_bytes_ += bytes;
      }
  }

  void place_temporaries() {
    std::vector<Lifetime> lifetimes;
    std::unordered_map<Value, std::size_t, ir::ValueHash> slot_of;
    std::vector<Value> order;
    for (int u = 0; u < static_cast<int>(units_.size()); ++u) {
      const Unit& unit = units_[static_cast<std::size_t>(u)];
      for (const Value v : unit.writes) {
        if (home_.contains(v) || slot_of.contains(v) || copies_.contains(u)) continue;
        const auto bytes = align(static_cast<std::uint64_t>(v.type().bytes()));
        order.push_back(v);
        if (const int reused = reusable(unit, u, v, bytes, lifetimes, slot_of); reused >= 0) {
          slot_of[v] = static_cast<std::size_t>(reused);
          lifetimes[static_cast<std::size_t>(reused)].last = last_[v];
          continue;
        }
        slot_of[v] = lifetimes.size();
        lifetimes.push_back({bytes, u, last_[v], 0});
      }
    }
    const std::size_t first_scratch = lifetimes.size();
    for (int u = 0; u < static_cast<int>(units_.size()); ++u)
      if (const auto bytes = units_[static_cast<std::size_t>(u)].scratch_bytes)
        lifetimes.push_back({align(bytes), u, u, 0});
    executable_.temporary_bytes = place(lifetimes);
    std::vector<std::uint32_t> allocation(lifetimes.size());
    for (std::size_t i = 0; i < lifetimes.size(); ++i)
      allocation[i] = allocate({Allocation::Kind::temporary, 0, lifetimes[i].bytes, lifetimes[i].offset, nullptr});
    for (const Value v : order) home_[v] = allocation[slot_of[v]];
    std::size_t next = first_scratch;
    for (const Unit& unit : units_)
      scratch_.push_back(unit.scratch_bytes ? Slice{allocation[next++], 0, unit.scratch_bytes} : Slice{});
  }

  // The slot of a value that dies in this unit and whose bytes the new value may overwrite.
  int reusable(const Unit& unit, int u, Value v, std::uint64_t bytes, const std::vector<Lifetime>& lifetimes,
               const std::unordered_map<Value, std::size_t, ir::ValueHash>& slot_of) {
    for (const Value read : unit.reads) {
      const auto slot = slot_of.find(read);
      if (slot == slot_of.end() || !may_share(u, v, read)) continue;
      const Lifetime& life = lifetimes[slot->second];
      if (life.last == u && life.bytes == bytes) return static_cast<int>(slot->second);
    }
    return -1;
  }

  MemoryPlan bind() {
    MemoryPlan plan;
    plan.scratch = std::move(scratch_);
    const auto slice = [&](Value v) {
      const auto home = home_.find(v);
      WEFT_ASSERT(home != home_.end(), "a value has no place in memory: ", v.node->op->name, " ", v.type());
      return Slice{home->second, 0, static_cast<std::uint64_t>(v.type().bytes())};
    };
    std::uint64_t outside = constant_bytes_;
    for (const Allocation& a : executable_.allocations)
      if (a.kind == Allocation::Kind::input || a.kind == Allocation::Kind::output) outside += a.bytes;
    for (const runtime::Output& output : executable_.outputs)
      if (output.donated_input >= 0) outside -= static_cast<std::uint64_t>(output.type.bytes());
    executable_.peak_bytes = outside + executable_.temporary_bytes;
    for (int u = 0; u < static_cast<int>(units_.size()); ++u) {
      const Unit& unit = units_[static_cast<std::size_t>(u)];
      auto& reads = plan.reads.emplace_back();
      auto& writes = plan.writes.emplace_back();
      for (const Value v : unit.reads) reads.push_back(slice(v));
      for (const Value v : unit.writes) {
        const auto copy = copies_.find(u);
        writes.push_back(copy == copies_.end() ? slice(v)
                                               : Slice{copy->second, 0, static_cast<std::uint64_t>(v.type().bytes())});
      }
    }
    return plan;
  }

  const ir::Graph& graph_;
  std::vector<Unit>& units_;
  const std::vector<bool>& donatable_;
  runtime::Executable& executable_;
  std::unordered_map<Value, std::uint32_t, ir::ValueHash> home_;  // allocation of each value
  std::unordered_map<Value, int, ir::ValueHash> made_, last_;     // units
  std::unordered_map<Value, bool, ir::ValueHash> taken_, stored_;
  std::map<int, std::uint32_t> copies_;  // units that copy to an output
  std::vector<Slice> scratch_;
  std::uint64_t constant_bytes_ = 0;
  int last_end_ = -2;
};

}  // namespace

MemoryPlan plan_memory(const ir::Graph& graph, std::vector<Unit>& units, const std::vector<bool>& donatable,
                       runtime::Executable& executable) {
  return Planner(graph, units, donatable, executable).run();
}

}  // namespace weft::compiler
