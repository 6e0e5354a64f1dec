// The spans that a device adds to a recording.
#include <weft/base/trace.h>

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tests/runtime/programs.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/diagnostics.h>

namespace weft::runtime {
namespace {

TEST(DeviceTrace, ShowsLaunchesThunksAndWaits) {
  CpuDevice device;
  auto x = floats(device, {1, 2, 3, 4});
  launch_one(device, adder(1), x)->wait();
  trace::start();
  for (int i = 0; i < 3; ++i) x = launch_one(device, adder(1), x);
  x->wait();
  device.synchronize();
  const auto recording = trace::stop();
  std::map<std::string, int> counts;
  std::map<std::string, std::set<std::uint64_t>> launches;  // the launches to which the spans of a name belong
  for (const auto& span : recording.spans) {
    ++counts[std::string(span.category) + ' ' + span.name];
    EXPECT_LE(span.begin_ns, span.end_ns);
    const std::string category = span.category;
    if (category == "device" || category == "thunk") {
      EXPECT_EQ(recording.threads[span.thread], "device");
    }
    launches[std::string(span.category) + ' ' + span.name].insert(span.number);
    if (category == "host") {
      EXPECT_NE(recording.threads[span.thread], "device");
    }
  }
  EXPECT_EQ(counts["host launch"], 3);
  EXPECT_EQ(counts["device adder"], 3);
  EXPECT_EQ(counts["thunk add"], 3);
  EXPECT_EQ(launches["host launch"].size(), 3u);
  EXPECT_EQ(launches["device adder"], launches["host launch"]);
  EXPECT_EQ(launches["thunk add"], launches["host launch"]);
  EXPECT_EQ(counts["host synchronize"], 1);
  EXPECT_TRUE(device.thunk_times().empty());
}

TEST(DeviceDiagnostics, TellOfInputsThatCouldNotBeTakenOver) {
  std::vector<diagnostics::Event> seen;
  std::mutex mutex;
  CpuDevice device;
  const diagnostics::Sink sink([&](const diagnostics::Event& event) {
    const std::lock_guard lock(mutex);
    seen.push_back(event);
  });
  launch_one(device, updater(1), floats(device, {1, 2, 3, 4}));
  device.synchronize();
  EXPECT_TRUE(seen.empty());
  const auto held = floats(device, {1, 2, 3, 4});
  held->add_holder();
  launch_one(device, updater(1), held);
  device.synchronize();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].kind, diagnostics::Kind::missed_donation);
  EXPECT_EQ(seen[0].subject, "updater");
  EXPECT_EQ(seen[0].bytes, 16u);
}

}  // namespace
}  // namespace weft::runtime
