#include <weft/profile/hints.h>

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::profile {
namespace {

using diagnostics::Event;
using diagnostics::Kind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Window busy() {
  Window window;
  window.steps = 20;
  window.wall_ms = 200;
  window.busy_ms = 199;
  window.idle_ms = 1;
  window.host_ms = 20;
  window.program = "step";
  window.place = "train.cpp:12";
  return window;
}

std::vector<Kind> kinds(const Window& window) {
  std::vector<Kind> found;
  for (const Event& event : judge(window)) found.push_back(event.kind);
  return found;
}

TEST(Hints, AHealthyRunHasNone) {
  EXPECT_THAT(judge(busy()), IsEmpty());
  EXPECT_THAT(judge(Window()), IsEmpty());
  Window logging = busy();  // a loss is read in every step, but the device does not idle
  logging.reads = 20;
  logging.host_wait_ms = 150;
  EXPECT_THAT(judge(logging), IsEmpty());
}

TEST(Hints, CompilesInMostSteps) {
  Window window = busy();
  window.compiles = 11;
  window.compile_ms = 80;
  const auto found = judge(window);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Kind::compile_too_frequent);
  EXPECT_EQ(found[0].reason, "CompileTime too frequent: 11 counts during 20 steps");
  EXPECT_EQ(found[0].cost_ms, 80);
  EXPECT_EQ(found[0].subject, "step");
  EXPECT_EQ(found[0].place, "train.cpp:12");
  window.compiles = 10;
  EXPECT_THAT(kinds(window), IsEmpty());
  window.longest_compile_ms = 9000;
  EXPECT_THAT(kinds(window), ElementsAre(Kind::slow_compile));
  window.evictions = 10;
  EXPECT_THAT(kinds(window), ElementsAre(Kind::slow_compile, Kind::cache_thrash));
}

TEST(Hints, WhyTheDeviceIdles) {
  Window window = busy();
  window.busy_ms = 100;
  window.idle_ms = 100;
  EXPECT_THAT(kinds(window), ElementsAre(Kind::device_gap));
  window.host_ms = 180;
  EXPECT_THAT(kinds(window), ElementsAre(Kind::host_bound));
  window.reads = 60;
  window.host_wait_ms = 90;
  EXPECT_THAT(kinds(window), ElementsAre(Kind::transfer_too_frequent));
  window.read_place = "train.cpp:20";
  EXPECT_THAT(judge(window)[0].reason, HasSubstr("60 counts during 20 steps"));
  EXPECT_EQ(judge(window)[0].place, "train.cpp:20");
  Window starved = busy();
  starved.input_wait_ms = 60;
  EXPECT_THAT(kinds(starved), ElementsAre(Kind::starved_input));
}

TEST(Hints, OperationsWithoutAKernel) {
  Window window = busy();
  window.host_op_ms = 5;
  EXPECT_THAT(kinds(window), IsEmpty());
  window.host_op_ms = 50;
  window.host_ops = "sort (20 times)";
  window.host_op_place = "model.cpp:7";
  ASSERT_THAT(kinds(window), ElementsAre(Kind::host_fallback));
  EXPECT_THAT(judge(window)[0].reason, HasSubstr("2.500 ms of each step of 10.000 ms"));
  EXPECT_THAT(judge(window)[0].reason, HasSubstr("sort (20 times)"));
  EXPECT_EQ(judge(window)[0].place, "model.cpp:7");
}

TEST(Hints, AGraphThatGrows) {
  Window window = busy();
  window.nodes = {10, 20, 30, 40, 50};
  EXPECT_THAT(kinds(window), ElementsAre(Kind::graph_growth));
  EXPECT_THAT(judge(window)[0].reason, HasSubstr("from 10 to 50"));
  window.nodes.push_back(50);
  EXPECT_THAT(kinds(window), IsEmpty());
}

}  // namespace
}  // namespace weft::profile
