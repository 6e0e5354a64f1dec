// The data for XProf's memory viewer: a program's memory plan in XLA's terms.
#include <cstdint>
#include <map>
#include <string>
#include <tests/profile/describe.h>

#include <gtest/gtest.h>

#include <weft/profile/hlo.pb.h>
#include <weft/profile/hlo_proto.h>
#include <weft/profile/memory.h>

namespace weft::profile {
namespace {

using AllocationKind = runtime::Allocation::Kind;

ProgramDescription description() {
  const Shape four = array({4}), two_of_four{.types = {f32({4}), f32({4})}, .is_tuple = true};
  const auto element = [&](const char* name, std::int64_t index) {
    return Instruction{
        .name = name, .opcode = "get-tuple-element", .shape = four, .operands = {3}, .attributes = {{"index", index}}};
  };
  ProgramDescription made = with_entry(
      {parameter("parameter.1", {4}, 0), parameter("parameter.2", {4}, 1),
       Instruction{.name = "constant.3", .opcode = "constant", .shape = four},
       Instruction{.name = "first.4", .opcode = "fusion", .shape = two_of_four, .operands = {0, 2}, .calls = {}},
       element("get-tuple-element.5", 0), element("get-tuple-element.6", 1),
       Instruction{.name = "second.7", .opcode = "add", .shape = four, .operands = {4, 5}},
       Instruction{.name = "third.8", .opcode = "multiply", .shape = four, .operands = {6, 1}}});
  made.thunks = {3, 6, 7};
  return made;
}

// The first op writes two temporaries, the second reads both and writes a third one in other bytes, and the third writes the
// output.
Program program() {
  const auto all = [](std::uint32_t allocation) { return runtime::Slice{allocation, 0, 16}; };
  const auto op = [](const char* name, std::vector<runtime::Slice> reads, std::vector<runtime::Slice> writes) {
    return Op{
        {.name = name, .category = "loop fusion", .source = "", .scope = ""}, std::move(reads), std::move(writes)};
  };
  const auto allocation = [](AllocationKind kind, std::uint32_t index, std::uint64_t offset = 0) {
    return runtime::Allocation{kind, index, 16, offset, nullptr};
  };
  return {.name = "a step/1",
          .ops = {op("first.4", {all(0), all(2)}, {all(4), all(5)}), op("second.7", {all(4), all(5)}, {all(6)}),
                  op("third.8", {all(6), all(1)}, {all(3)})},
          .allocations = {allocation(AllocationKind::input, 0), allocation(AllocationKind::input, 1),
                          allocation(AllocationKind::constant, 0), allocation(AllocationKind::output, 0),
                          allocation(AllocationKind::temporary, 0, 0), allocation(AllocationKind::temporary, 0, 16),
                          allocation(AllocationKind::temporary, 0, 32)},
          .donated = {},
          .temporary_bytes = 48,
          .description = description()};
}

proto::HloProto made(const Program& from) {
  proto::HloProto proto;
  EXPECT_TRUE(proto.ParseFromString(hlo_proto(from, 7)));
  return proto;
}

TEST(BufferAssignment, EveryAllocationIsThereWithTheInstructionThatMakesIt) {
  const proto::HloProto proto = made(program());
  EXPECT_EQ(proto.hlo_module().name(), "a_step_1");
  std::map<std::int64_t, std::string> names;
  for (const auto& instruction : proto.hlo_module().computations(0).instructions())
    names[instruction.id()] = instruction.name();
  const auto& plan = proto.buffer_assignment();
  std::map<std::int64_t, std::string> values;
  for (const auto& value : plan.logical_buffers()) {
    EXPECT_EQ(value.size(), 16);
    std::string& name = values[value.id()] = names.at(value.defined_at().instruction_id());
    for (const std::int64_t element : value.defined_at().shape_index()) name += "{" + std::to_string(element) + "}";
  }
  std::string told;
  for (const auto& allocation : plan.buffer_allocations()) {
    told += allocation.is_entry_computation_parameter() ? "input" : allocation.is_constant() ? "constant" : "";
    told += allocation.maybe_live_out() ? "output" : "";
    told += "(" + std::to_string(allocation.size()) + ")";
    for (const auto& value : allocation.assigned())
      told += " " + values.at(value.logical_buffer_id()) + "@" + std::to_string(value.offset());
    told += "\n";
  }
  EXPECT_EQ(told,
            "input(16) parameter.1@0\ninput(16) parameter.2@0\nconstant(16) constant.3@0\noutput(16) third.8@0\n"
            "(48) first.4{0}@0 first.4{1}@16 second.7@32\n");
}

TEST(BufferAssignment, TheTraceSaysWhatIsAliveWhen) {
  const proto::HloProto proto = made(program());
  const auto& trace = proto.buffer_assignment().heap_simulator_traces(0);
  EXPECT_EQ(trace.buffer_allocation_index(), 4);
  std::int64_t alive = 0, most = 0;
  for (const auto& event : trace.events()) {
    alive += event.kind() == proto::HeapSimulatorTrace::Event::ALLOC ? 16 : -16;
    most = std::max(most, alive);
  }
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(most, 48);
  EXPECT_EQ(trace.events(0).instruction_name(), "first.4");
  EXPECT_EQ(trace.events(trace.events_size() - 1).instruction_name(), "third.8");
}

TEST(BufferAssignment, AnOutputInTheBytesOfAnInputTakesNone) {
  Program donating = program();
  donating.donated = {3};
  const proto::HloProto proto = made(donating);
  EXPECT_EQ(proto.buffer_assignment().buffer_allocations_size(), 4);
  for (const auto& allocation : proto.buffer_assignment().buffer_allocations())
    EXPECT_FALSE(allocation.maybe_live_out());
}

}  // namespace
}  // namespace weft::profile
