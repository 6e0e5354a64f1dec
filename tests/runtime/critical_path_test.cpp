// What a program takes at least when it runs again and again.
#include <weft/runtime/critical_path.h>

#include <gtest/gtest.h>

#include <weft/runtime/dependencies.h>

#include "programs.h"

namespace weft::runtime {
namespace {

const auto nothing = [](const Launch&) {};

double time_in_name(const Thunk& thunk) { return std::stod(thunk.info.name.substr(thunk.info.name.rfind(' '))); }

TEST(CriticalPath, IsTheBusiestStreamOrTheLongestChainOfLaunches) {
  // A lookup of rows is sent, and used in the next launch; a gradient of the weights, which nothing waits for, is summed.
  const auto path = [](int send_us) {
    Program program("step");
    const Slice rows = program.input(), table = program.input(), gradient = program.temporary(),
                found = program.temporary(), of_weights = program.temporary(), next_rows = program.output(0),
                next_table = program.output(1), summed = program.output();
    program.thunk("backward 30", {rows}, {gradient}, nothing);
    program.thunk("of the weights 40", {rows}, {of_weights}, nothing);
    program.thunk_on(StreamKind::communication, "sum 10", {of_weights}, {summed}, nothing);
    program.thunk("update 20", {gradient, table}, {next_table}, nothing);
    program.thunk("look up 10", {next_table}, {found}, nothing);
    program.thunk_on(StreamKind::communication, concat("send ", send_us), {found}, {next_rows}, nothing);
    const Carried carried[] = {{.output = 0, .input = 0}, {.output = 1, .input = 1}};
    return critical_path(*program.finish(), carried, time_in_name);
  };
  EXPECT_EQ(path(20).compute_us, 100);
  EXPECT_EQ(path(20).communication_us, 30);
  EXPECT_EQ(path(20).chain_us, 80) << "rows, gradient, table, rows";
  EXPECT_EQ(path(20).period_us(), 100);
  EXPECT_EQ(path(70).period_us(), 130);
}

TEST(Flow, NamesWhatValuesComeFromWhicheverMemoryTheyUse) {
  Program program("reuse");
  const Slice x = program.input(), y = program.input(), first = program.temporary(), z = program.output(0),
              w = program.output();
  program.thunk("a", {x}, {first}, nothing);
  program.thunk("b", {first}, {z}, nothing);  // in the memory of x
  program.thunk("c", {y}, {first}, nothing);  // in the memory of a's result
  program.thunk("d", {first, z}, {w}, nothing);
  const Flow flow = flow_of(*program.finish());
  using Numbers = std::vector<std::uint32_t>;
  EXPECT_EQ(flow.thunks[0].inputs, Numbers{0});
  EXPECT_EQ(flow.thunks[1].thunks, Numbers{0});
  EXPECT_TRUE(flow.thunks[2].thunks.empty()) << "it replaces what b has read, and needs nothing of it";
  EXPECT_EQ(flow.thunks[2].inputs, Numbers{1});
  EXPECT_EQ(flow.thunks[3].thunks, (Numbers{1, 2}));
  EXPECT_EQ(flow.outputs[0].thunks, Numbers{1});
  EXPECT_EQ(flow.outputs[1].thunks, Numbers{3});
}

}  // namespace
}  // namespace weft::runtime
