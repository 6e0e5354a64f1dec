#include <weft/profile/buffer_assignment.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <weft/profile/hlo.pb.h>
#include <weft/profile/hlo_text.h>
#include <weft/profile/memory.h>

namespace weft::profile {

namespace {

using Kind = runtime::Allocation::Kind;

class Assignment {
 public:
  Assignment(const Program& program, const proto::HloComputationProto& entry, proto::BufferAssignmentProto& to)
      : program_(program), entry_(entry), to_(to), lives_(lifetimes(program)) {
    for (const auto& instruction : entry.instructions()) by_name_.emplace(instruction.name(), &instruction);
    for (const auto& instruction : entry.instructions())
      if (instruction.opcode() == "parameter") parameters_.emplace(instruction.parameter_number(), &instruction);
  }

  void write() {
    for (std::size_t a = 0; a < program_.allocations.size(); ++a)
      if (program_.allocations[a].kind != Kind::temporary && is_used(a) && !is_donated(a)) add_alone(a);
    add_temporaries();
  }

 private:
  bool is_used(std::size_t a) const { return lives_[a].first != Lifetime::never; }
  // Of an output in the bytes of an input: it takes no memory.
  bool is_donated(std::size_t a) const {
    return std::ranges::find(program_.donated, static_cast<std::uint32_t>(a)) != program_.donated.end();
  }

  proto::BufferAllocationProto& add_allocation(std::uint64_t bytes) {
    proto::BufferAllocationProto& made = *to_.add_buffer_allocations();
    made.set_index(to_.buffer_allocations_size() - 1);
    made.set_size(static_cast<std::int64_t>(bytes));
    return made;
  }

  void add_alone(std::size_t a) {
    const runtime::Allocation& allocation = program_.allocations[a];
    proto::BufferAllocationProto& made = add_allocation(allocation.bytes);
    made.set_is_constant(allocation.kind == Kind::constant);
    made.set_maybe_live_out(allocation.kind == Kind::output);
    if (allocation.kind == Kind::input) {
      made.set_is_entry_computation_parameter(true);
      made.set_parameter_number(allocation.index);
    }
    add_value(a, 0, made);
  }

  // Those of a launch lie in one block, where they share bytes one after the other.
  void add_temporaries() {
    std::vector<std::size_t> temporaries;
    for (std::size_t a = 0; a < program_.allocations.size(); ++a)
      if (program_.allocations[a].kind == Kind::temporary && is_used(a)) temporaries.push_back(a);
    if (temporaries.empty()) return;
    proto::BufferAllocationProto& block = add_allocation(program_.temporary_bytes);
    std::unordered_map<std::size_t, std::int64_t> ids;
    for (const std::size_t a : temporaries)
      if (const std::int64_t id = add_value(a, program_.allocations[a].offset, block); id > 0) ids.emplace(a, id);
    proto::HeapSimulatorTrace& trace = *to_.add_heap_simulator_traces();
    trace.set_whole_module_simulation(true);
    trace.set_buffer_allocation_index(block.index());
    std::vector<std::vector<std::size_t>> begin(program_.ops.size()), end(program_.ops.size());
    for (const auto& [a, id] : ids) {
      begin[lives_[a].first].push_back(a);
      end[lives_[a].last].push_back(a);
    }
    for (std::size_t op = 0; op < program_.ops.size(); ++op) {
      std::ranges::sort(begin[op]);
      std::ranges::sort(end[op]);
      for (const std::size_t a : begin[op]) add_event(trace, proto::HeapSimulatorTrace::Event::ALLOC, ids.at(a), op);
      for (const std::size_t a : end[op]) add_event(trace, proto::HeapSimulatorTrace::Event::FREE, ids.at(a), op);
    }
  }

  void add_event(proto::HeapSimulatorTrace& trace, proto::HeapSimulatorTrace::Event::Kind kind, std::int64_t id,
                 std::size_t op) {
    auto& event = *trace.add_events();
    event.set_kind(kind);
    event.set_buffer_id(id);
    event.set_computation_name(entry_.name());
    event.set_instruction_name(hlo_name(program_.ops[op].info.name));
  }

  // The value of an allocation, at the instruction that makes it; 0: there is none in the text.
  std::int64_t add_value(std::size_t a, std::uint64_t offset, proto::BufferAllocationProto& to) {
    int element = -1;
    const proto::HloInstructionProto* const maker = maker_of(a, element);
    if (!maker) return 0;
    const auto bytes = static_cast<std::int64_t>(program_.allocations[a].bytes);
    proto::LogicalBufferProto& value = *to_.add_logical_buffers();
    value.set_id(to_.logical_buffers_size());
    value.set_size(bytes);
    value.mutable_defined_at()->set_instruction_id(maker->id());
    if (element >= 0) value.mutable_defined_at()->add_shape_index(element);
    auto& assigned = *to.add_assigned();
    assigned.set_logical_buffer_id(value.id());
    assigned.set_offset(static_cast<std::int64_t>(offset));
    assigned.set_size(bytes);
    return value.id();
  }

  // `element`: which of a tuple; else -1, of scratch memory too.
  const proto::HloInstructionProto* maker_of(std::size_t a, int& element) {
    const runtime::Allocation& allocation = program_.allocations[a];
    if (allocation.kind == Kind::input) return find(parameters_, std::int64_t{allocation.index});
    if (lives_[a].maker == Lifetime::never) return allocation.kind == Kind::constant ? constant_of(a) : nullptr;
    const Op& op = program_.ops[lives_[a].maker];
    const proto::HloInstructionProto* const maker = find(by_name_, hlo_name(op.info.name));
    if (!maker) return nullptr;
    const auto write = std::ranges::find(op.writes, static_cast<std::uint32_t>(a), &runtime::Slice::allocation);
    const auto number = static_cast<int>(write - op.writes.begin());
    if (number < maker->shape().tuple_shapes_size()) element = number;
    return maker;
  }

  // Constants have no number: the first that its first reader takes and nobody has been given.
  const proto::HloInstructionProto* constant_of(std::size_t a) {
    for (const Op& op : program_.ops) {
      if (std::ranges::find(op.reads, static_cast<std::uint32_t>(a), &runtime::Slice::allocation) == op.reads.end())
        continue;
      const proto::HloInstructionProto* const reader = find(by_name_, hlo_name(op.info.name));
      if (!reader) return nullptr;
      for (const auto& instruction : entry_.instructions()) {
        const bool is_taken = std::ranges::find(reader->operand_ids(), instruction.id()) != reader->operand_ids().end();
        if (instruction.opcode() == "constant" && is_taken && constants_.insert(instruction.id()).second)
          return &instruction;
      }
      return reader;
    }
    return nullptr;
  }

  template <class Map>
  static const proto::HloInstructionProto* find(const Map& map, const typename Map::key_type& key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : found->second;
  }

  const Program& program_;
  const proto::HloComputationProto& entry_;
  proto::BufferAssignmentProto& to_;
  std::vector<Lifetime> lives_;
  std::unordered_map<std::string, const proto::HloInstructionProto*> by_name_;
  std::unordered_map<std::int64_t, const proto::HloInstructionProto*> parameters_;
  std::unordered_set<std::int64_t> constants_;  // that have an allocation
};

}  // namespace

void assign_buffers(const Program& program, const proto::HloComputationProto& entry,
                    proto::BufferAssignmentProto& assignment) {
  Assignment(program, entry, assignment).write();
}

}  // namespace weft::profile
