// What a device adds to a recording of spans.
#include <weft/base/trace.h>

#include <map>
#include <string>
#include <tests/runtime/programs.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::runtime::testing {
namespace {

TEST(DeviceTrace, ShowsLaunchesThunksAndWaits) {
  Device device;
  auto x = floats(device, {1, 2, 3, 4});
  launch_one(device, adder(1), x)->wait();
  trace::start();
  for (int i = 0; i < 3; ++i) x = launch_one(device, adder(1), x);
  x->wait();
  device.synchronize();
  const auto recording = trace::stop();
  std::map<std::string, int> counts;
  for (const auto& span : recording.spans) {
    ++counts[std::string(span.category) + ' ' + span.name];
    EXPECT_LE(span.begin_ns, span.end_ns);
    const std::string category = span.category;
    if (category == "device" || category == "thunk") {
      EXPECT_EQ(recording.threads[span.thread], "device");
      EXPECT_GE(span.number, 1u);
      EXPECT_LE(span.number, 3u);
    }
    if (category == "host") {
      EXPECT_NE(recording.threads[span.thread], "device");
    }
  }
  EXPECT_EQ(counts["host launch"], 3);
  EXPECT_EQ(counts["device adder"], 3);
  EXPECT_EQ(counts["thunk add"], 3);
  EXPECT_EQ(counts["host synchronize"], 1);
  EXPECT_TRUE(device.thunk_times().empty());
}

}  // namespace
}  // namespace weft::runtime::testing
