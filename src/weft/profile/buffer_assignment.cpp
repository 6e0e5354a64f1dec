#include <weft/profile/buffer_assignment.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <weft/profile/hlo.pb.h>
#include <weft/profile/memory.h>
#include <weft/profile/serialize.h>
#include <weft/runtime/hlo_text.h>

namespace weft::profile {

namespace {

class Assignment {
 public:
  Assignment(const Program& program, const proto::HloComputationProto& entry, proto::BufferAssignmentProto& to)
      : program_(program),
        entry_(entry),
        to_(to),
        lives_(lifetimes(program)),
        donated_(program.donated.begin(), program.donated.end()),
        first_readers_(program.allocations.size(), Lifetime::never) {
    for (const auto& instruction : entry.instructions()) {
      if (instruction.opcode() == "parameter") parameters_.emplace(instruction.parameter_number(), &instruction);
      if (instruction.opcode() == "constant") constants_.emplace(instruction.id(), &instruction);
    }
    for (std::size_t op = program.ops.size(); op-- > 0;)
      for (const runtime::Slice& slice : program.ops[op].reads) first_readers_[slice.allocation] = op;
  }

  void write() {
    for (std::size_t a = 0; a < program_.allocations.size(); ++a)
      if (program_.allocations[a].kind != runtime::Allocation::Kind::temporary && is_used(a) && !is_donated(a))
        add_alone(a);
    add_temporaries();
  }

 private:
  bool is_used(std::size_t a) const { return lives_[a].first != Lifetime::never; }
  // Returns whether the allocation is an output in the bytes of an input, so that it takes no memory.
  bool is_donated(std::size_t a) const { return donated_.contains(a); }

  proto::BufferAllocationProto& add_allocation(std::uint64_t bytes) {
    proto::BufferAllocationProto& made = *to_.add_buffer_allocations();
    made.set_index(to_.buffer_allocations_size() - 1);
    made.set_size(bytes);
    return made;
  }

  void add_alone(std::size_t a) {
    const runtime::Allocation& allocation = program_.allocations[a];
    proto::BufferAllocationProto& made = add_allocation(allocation.bytes);
    made.set_is_constant(allocation.kind == runtime::Allocation::Kind::constant);
    made.set_maybe_live_out(allocation.kind == runtime::Allocation::Kind::output);
    if (allocation.kind == runtime::Allocation::Kind::input) {
      made.set_is_entry_computation_parameter(true);
      made.set_parameter_number(allocation.index);
    }
    add_value(a, 0, made);
  }

  // The temporaries of a launch lie in one block, where they share bytes one after the other.
  void add_temporaries() {
    std::vector<std::size_t> temporaries;
    for (std::size_t a = 0; a < program_.allocations.size(); ++a)
      if (program_.allocations[a].kind == runtime::Allocation::Kind::temporary && is_used(a)) temporaries.push_back(a);
    if (temporaries.empty()) return;
    proto::BufferAllocationProto& block = add_allocation(program_.temporary_bytes);
    std::map<std::size_t, std::int64_t> ids;
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
      for (const std::size_t a : begin[op]) add_event(trace, proto::HeapSimulatorTrace::Event::ALLOC, ids.at(a), op);
      for (const std::size_t a : end[op]) add_event(trace, proto::HeapSimulatorTrace::Event::FREE, ids.at(a), op);
    }
  }

  void add_event(proto::HeapSimulatorTrace& trace, proto::HeapSimulatorTrace::Event::Kind kind, std::int64_t id,
                 std::size_t op) {
    auto& event = *trace.add_events();
    event.set_kind(kind);
    event.set_buffer_id(id);
    constexpr std::size_t longest = 128;  // names are repeated in many events
    event.set_computation_name(shortened(entry_.name(), longest));
    const proto::HloInstructionProto* const instruction = instruction_of(op);
    const std::string name = instruction ? instruction->name() : runtime::hlo_name(program_.ops[op].info.name);
    event.set_instruction_name(shortened(name, longest));
  }

  // Adds the value of an allocation, at the instruction that makes it. Returns its id, or 0 if the instruction is unknown.
  std::int64_t add_value(std::size_t a, std::uint64_t offset, proto::BufferAllocationProto& to) {
    int element = -1;
    const proto::HloInstructionProto* const maker = maker_of(a, element);
    if (!maker) return 0;
    const std::int64_t bytes = program_.allocations[a].bytes;
    proto::LogicalBufferProto& value = *to_.add_logical_buffers();
    value.set_id(to_.logical_buffers_size());
    value.set_size(bytes);
    value.mutable_defined_at()->set_instruction_id(maker->id());
    if (element >= 0) value.mutable_defined_at()->add_shape_index(element);
    auto& assigned = *to.add_assigned();
    assigned.set_logical_buffer_id(value.id());
    assigned.set_offset(offset);
    assigned.set_size(bytes);
    return value.id();
  }

  // Returns the instruction that makes an allocation. `element` becomes the index in a tuple if it is part of one.
  const proto::HloInstructionProto* maker_of(std::size_t a, int& element) {
    const runtime::Allocation& allocation = program_.allocations[a];
    if (allocation.kind == runtime::Allocation::Kind::input) return find(parameters_, std::int64_t{allocation.index});
    if (lives_[a].maker == Lifetime::never)
      return allocation.kind == runtime::Allocation::Kind::constant ? constant_of(a) : nullptr;
    const proto::HloInstructionProto* const maker = instruction_of(lives_[a].maker);
    if (!maker) return nullptr;
    if (std::cmp_less(lives_[a].result, maker->shape().tuple_shapes_size())) element = lives_[a].result;
    return maker;
  }

  // Constants have no number, so this takes the first constant operand of the first reader that no other allocation has got.
  const proto::HloInstructionProto* constant_of(std::size_t a) {
    const proto::HloInstructionProto* const reader = instruction_of(first_readers_[a]);
    if (!reader) return nullptr;
    const auto [at, is_new] = operands_left_.try_emplace(reader);
    std::set<std::int64_t>& left = at->second;
    if (is_new) left.insert(reader->operand_ids().begin(), reader->operand_ids().end());
    while (!left.empty())
      if (const auto constant = constants_.extract(left.extract(left.begin()).value())) return constant.mapped();
    return reader;
  }

  // Returns null if the instruction is unknown.
  const proto::HloInstructionProto* instruction_of(std::size_t op) const {
    const auto& description = program_.description;
    return description.runs_instruction(op) ? &entry_.instructions(description.thunks[op]) : nullptr;
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
  std::set<std::uint32_t> donated_;
  std::vector<std::size_t> first_readers_;  // for each allocation, an op
  std::map<std::int64_t, const proto::HloInstructionProto*> parameters_;
  std::map<std::int64_t, const proto::HloInstructionProto*> constants_;  // constants that have no allocation yet, by id
  // Operands that may be such constants.
  std::map<const proto::HloInstructionProto*, std::set<std::int64_t>> operands_left_;
};

}  // namespace

void assign_buffers(const Program& program, const proto::HloComputationProto& entry,
                    proto::BufferAssignmentProto& assignment) {
  Assignment(program, entry, assignment).write();
}

}  // namespace weft::profile
