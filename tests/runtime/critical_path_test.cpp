// The least time that a program takes when it runs again and again, and the time that it is predicted to take.
#include <weft/runtime/critical_path.h>

#include <gtest/gtest.h>

#include <weft/runtime/dependencies.h>
#include <weft/runtime/repeated.h>

#include "programs.h"

namespace weft::runtime {
namespace {

double time_in_name(const Thunk& thunk) { return std::stod(thunk.info.name.substr(thunk.info.name.rfind(' '))); }

std::shared_ptr<const Executable> sending_step(int send_us) {
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
  auto step = std::make_shared<Executable>(*program.finish());
  step->carried = {{.output = 0, .input = 0}, {.output = 1, .input = 1}};
  return step;
}

TEST(Repeated, StreamsWaitForWhatTheyReadInThisLaunchAndTheOneBefore) {
  const auto step = sending_step(20);
  std::vector<std::string> ran;
  const std::vector<double> ends = repeat(*step, 3, time_in_name, [&](const PredictedRun& run) {
    if (run.launch == 1)
      ran.push_back(
          concat(run.thunk.info.name, ": ", run.begin_us, " to ", run.end_us,
                 run.waited_for ? concat(" after ", run.waited_for->info.name, " of ", run.waited_for_launch) : ""));
  });
  EXPECT_EQ(ends, (std::vector<double>{120, 240, 360}));
  EXPECT_EQ(ran,
            (std::vector<std::string>{"backward 30: 120 to 150 after send 20 of 0", "of the weights 40: 150 to 190",
                                      "sum 10: 190 to 200 after of the weights 40 of 1", "update 20: 190 to 210",
                                      "look up 10: 210 to 220", "send 20: 220 to 240 after look up 10 of 1"}));
}

TEST(CriticalPath, IsTheBusiestStreamOrTheLongestChainOfLaunches) {
  // A lookup of rows is sent, and used in the next launch; a gradient of the weights, which nothing waits for, is summed.
  const auto path = [](int send_us) { return critical_path(*sending_step(send_us), time_in_name); };
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
