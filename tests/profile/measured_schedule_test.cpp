// The schedule of a program as it ran: what waits for what, and which operations make up the time of a step.
#include <weft/profile/measured_schedule.h>

#include <gtest/gtest.h>

#include "synthetic.h"

namespace weft::profile {
namespace {

// A step of 100 us computes for 60 and sends for 40 what the next step begins with.
Recording sending_steps(int steps) {
  Synthetic made;
  const std::int32_t program = made.program("step");
  const std::int32_t send = made.collective(program, "send", 40);
  for (int i = 0; i < steps; ++i) {
    const double begin = 100.0 * i;
    made.launch(program, begin, begin + 100, begin + 60);
    made.op(program, send, begin + 60, begin + 100);
  }
  Recording recording = made.recording();
  recording.programs[program].order =
      ProgramOrder{.after = {{}, {0}}, .after_last = {{1}, {}}, .is_ahead = {false, true}};
  return recording;
}

TEST(MeasuredSchedule, NamesWhatStreamsWaitForAlsoInTheLaunchBefore) {
  const auto schedule = measured_schedule(sending_steps(6));
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->chart.end_us - schedule->chart.begin_us, 200);
  EXPECT_EQ(schedule->computing, "device");
  EXPECT_EQ(schedule->communicating, "communication");
  const std::vector<std::size_t> path = critical_path(schedule->chart);
  ASSERT_EQ(path.size(), 4U);
  for (std::size_t i = 1; i < path.size(); ++i)
    EXPECT_NE(schedule->chart.bars[path[i]].lane, schedule->chart.bars[path[i - 1]].lane);
  EXPECT_EQ(schedule->chart.bars[path[1]].batch, schedule->chart.bars[path[0]].batch + 1)
      << "it sends for the next batch";
  const std::string text = schedule_text(sending_steps(6));
  EXPECT_NE(text.find("device waits 0.04 ms for send, then runs op of model.cpp:1"), text.npos) << text;
  EXPECT_NE(text.find("critical path: 0.12 ms device, 0.08 ms communication"), text.npos) << text;
}

TEST(MeasuredSchedule, ThePageGetsBarsBubblesAndThePath) {
  const nlohmann::json page = schedule_json(sending_steps(6));
  EXPECT_EQ(page["length"], 200'000);
  EXPECT_EQ(page["lanes"], nlohmann::json({"device", "communication"}));
  EXPECT_EQ(page["bars"].size(), 4U);
  EXPECT_EQ(page["bubbles"].size(), 3U) << "before each bar but the first";
  for (const auto& bar : page["bars"]) EXPECT_TRUE(bar[6]) << "all are on the critical path";
}

TEST(MeasuredSchedule, NeedsSeveralStreamsAndSeveralLaunches) {
  EXPECT_FALSE(measured_schedule(sending_steps(3)));
  Recording one_stream = sending_steps(6);
  one_stream.programs[0].order.reset();
  EXPECT_FALSE(measured_schedule(one_stream));
  EXPECT_TRUE(schedule_text(one_stream).empty());
  EXPECT_TRUE(schedule_json(one_stream).is_null());
  EXPECT_FALSE(measured_schedule(Recording()));
}

}  // namespace
}  // namespace weft::profile
