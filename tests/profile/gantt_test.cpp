#include <weft/profile/gantt.h>

#include <gtest/gtest.h>

namespace weft::profile {
namespace {

TEST(Gantt, ShowsWhoseBatchAStreamWorksOnAndWhatItWaitsFor) {
  const std::vector<GanttBar> bars = {
      {.lane = "compute", .what = "forward", .batch = 12, .begin_us = 0, .end_us = 4000},
      {.lane = "communication", .what = "send", .batch = 12, .begin_us = 4000, .end_us = 7000, .waited_for = "forward"},
      {.lane = "compute", .what = "look up", .batch = 13, .begin_us = 4000, .end_us = 5000},
      {.lane = "compute", .what = "update", .batch = 12, .begin_us = 7000, .end_us = 9600, .waited_for = "send"},
  };
  EXPECT_EQ(gantt(bars, 0, 10'000, "compute", 20),
            "  compute       2222222233....22222.\n"
            "  communication ........222222......\n"
            "                0           10.0 ms\n"
            "  compute waits 2.00 ms for send\n");
}

}  // namespace
}  // namespace weft::profile
