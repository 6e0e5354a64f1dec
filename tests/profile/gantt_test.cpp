#include <weft/profile/gantt.h>

#include <gtest/gtest.h>

namespace weft::profile {
namespace {

TEST(Gantt, ShowsWhoseBatchAStreamWorksOnWhatItWaitsForAndTheCriticalPath) {
  const GanttChart chart{
      .bars = {{.lane = "compute", .what = "forward", .batch = 12, .begin_us = 0, .end_us = 4000},
               {.lane = "communication", .what = "send", .batch = 12, .begin_us = 4000, .end_us = 7000, .after = 0},
               {.lane = "compute", .what = "look up", .batch = 13, .begin_us = 4000, .end_us = 5000, .after = 0},
               {.lane = "compute", .what = "update", .batch = 12, .begin_us = 7000, .end_us = 9600, .after = 1},
               {.lane = "compute", .what = "forward", .batch = 13, .begin_us = 9900, .end_us = 10'200, .after = -1}},
      .begin_us = 0,
      .end_us = 10'000};
  EXPECT_EQ(gantt(chart, "compute", 20),
            "  compute              2222222233....22222.\n"
            "  communication        ........222222......\n"
            "                       0           10.0 ms\n"
            "  compute waits 2.00 ms for send, then runs update\n"
            "  compute waits 0.30 ms for the host\n"
            "  critical path: 6.60 ms compute, 3.00 ms communication, 0.40 ms between operations\n");
  EXPECT_EQ(critical_path(chart), (std::vector<std::size_t>{0, 1, 3}));
}

}  // namespace
}  // namespace weft::profile
