// Concurrency on a real device: a thunk on another stream delays only what needs it. Nothing is timed: a thunk that waits for
// the test would wait forever if the test in turn had to wait for that thunk.
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <tests/runtime/device_kinds.h>
#include <tests/runtime/programs.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Overlap : public ::testing::TestWithParam<DeviceKind> {
 protected:
  std::unique_ptr<Device> make(DeviceOptions options = {}) const { return GetParam().make(options); }
};

// y = x + 1, in the memory of x; and on the host, once `go` allows: told = x + 1, as the host reads it.
std::shared_ptr<const Executable> told_step(std::shared_future<void> go) {
  Program program("told step");
  const Slice x = program.input(), y = program.output(0), told = program.output();
  program.add_scalar(y, x, 1);
  program.thunk_on(StreamKind::host, "tell", {y}, {told}, [=](const Launch& launch) {
    go.wait();
    for (int i = 0; i < 4; ++i) launch.at<float>(told)[i] = launch.at<float>(y)[i];
  });
  return program.finish();
}

// Does the same, but the thunk, on `stream`, reads the input.
std::shared_ptr<const Executable> told_input(std::shared_future<void> go, StreamKind stream = StreamKind::host) {
  Program program("told input");
  const Slice x = program.input(), y = program.output(), told = program.output();
  program.thunk_on(stream, "tell", {x}, {told}, [=](const Launch& launch) {
    go.wait();
    for (int i = 0; i < 4; ++i) launch.at<float>(told)[i] = launch.at<float>(x)[i];
  });
  program.add_scalar(y, x, 1);
  return program.finish();
}

TEST_P(Overlap, LaterLaunchesRunBesideASlowThunkOfTheHost) {
  const auto device = make();
  std::promise<void> go;
  const auto x = floats(*device, {1, 2, 3, 4});
  const auto outputs = device->launch(told_input(go.get_future().share()), std::span(&x, 1));
  auto y = outputs[0];
  for (int i = 0; i < 5; ++i) y = launch_one(*device, adder(1), y);
  EXPECT_THAT(values(y), ElementsAre(7, 8, 9, 10));
  EXPECT_FALSE(outputs[1]->event()->ready());
  go.set_value();
  EXPECT_THAT(values(outputs[1]), ElementsAre(1, 2, 3, 4));
}

TEST_P(Overlap, AThunkOfTheHostBeginsBesideTheLaunchBefore) {
  const auto device = make();
  std::promise<void> began;
  Program slow("slow"), early("early");
  const Slice x = slow.input(), y = slow.output();
  slow.thunk("wait", {x}, {y}, [&began](const Launch&) { began.get_future().wait(); });
  const Slice batch = early.input(), state = early.input(), seen = early.output(), next = early.output();
  early.thunk_on(StreamKind::host, "look up", {batch}, {seen}, [=, &began](const Launch& launch) {
    for (int i = 0; i < 4; ++i) launch.at<float>(seen)[i] = 2 * launch.at<float>(batch)[i];
    began.set_value();
  });
  early.thunk("use", {seen, state}, {next}, [=](const Launch& launch) {
    for (int i = 0; i < 4; ++i) launch.at<float>(next)[i] = launch.at<float>(seen)[i] + 1;
  });
  const auto input = floats(*device, {1, 2, 3, 4});
  const auto state_before = launch_one(*device, slow.finish(), input);
  const std::vector<BufferPtr> inputs{input, state_before};
  EXPECT_THAT(values(device->launch(early.finish(), inputs)[1]), ElementsAre(3, 5, 7, 9));
}

TEST_P(Overlap, WhatAThunkOfTheHostReadsIsNotOverwritten) {
  const auto device = make();
  std::promise<void> go;
  auto x = floats(*device, {1, 2, 3, 4});
  const auto outputs = device->launch(told_input(go.get_future().share()), std::span(&x, 1));
  std::vector<BufferPtr> given{std::move(x)}, updated;
  device->launch(updater(100), std::move(given), updated, [] {});
  // An update that does not wait would have happened by now.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(updated[0]->event()->ready());
  go.set_value();
  EXPECT_THAT(values(outputs[1]), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values(updated[0]), ElementsAre(101, 102, 103, 104));
}

TEST_P(Overlap, AnOutputThatAThunkOfTheHostReadsIsNotOverwritten) {
  const auto device = make();
  std::promise<void> go;
  auto x = floats(*device, {1, 2, 3, 4});
  auto outputs = device->launch(told_step(go.get_future().share()), std::span(&x, 1));
  const auto told = outputs[1];
  std::vector<BufferPtr> given{std::move(outputs[0])}, updated;
  device->launch(updater(100), std::move(given), updated, [] {});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  go.set_value();
  EXPECT_THAT(values(told), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(values(updated[0]), ElementsAre(102, 103, 104, 105));
}

BufferPtr upload_given(Device& device, std::shared_ptr<const std::vector<float>> data) {
  const std::vector<float>& floats = *data;
  return device.upload(Type(DType::f32, {std::ssize(floats)}), std::as_bytes(std::span(floats)), std::move(data));
}

TEST_P(Overlap, DataThatIsGivenAwayIsUploadedLater) {
  constexpr std::int64_t elements = 1 << 17;
  const auto device = make();
  auto data = std::make_shared<std::vector<float>>(elements, 3.F);
  const std::weak_ptr<std::vector<float>> kept = data;
  const auto upload = upload_given(*device, std::move(data));
  EXPECT_EQ(values(launch_one(*device, adder(1, elements), upload)), std::vector<float>(elements, 4));
  EXPECT_TRUE(kept.expired());
}

// On a CPU a stream is a thread, which the first launch holds.
TEST(UploadOnTheCpu, IsAPromiseThatHoldsUpOnlyWhatReadsIt) {
  constexpr std::int64_t elements = 1 << 17;
  CpuDevice device;
  std::promise<void> go;
  const auto x = floats(device, {1, 2, 3, 4});
  const auto outputs = device.launch(told_input(go.get_future().share(), StreamKind::copy), std::span(&x, 1));
  auto data = std::make_shared<std::vector<float>>(elements, 3.F);
  const std::weak_ptr<std::vector<float>> kept = data;
  const auto upload = upload_given(device, std::move(data));
  EXPECT_THAT(values(launch_one(device, adder(1), outputs[0])), ElementsAre(3, 4, 5, 6));
  EXPECT_FALSE(upload->event()->ready());
  EXPECT_FALSE(kept.expired());
  const auto sum = launch_one(device, adder(1, elements), upload);
  go.set_value();
  EXPECT_EQ(values(sum), std::vector<float>(elements, 4));
  EXPECT_TRUE(kept.expired());
}

TEST_P(Overlap, SynchronizingAwaitsUploads) {
  constexpr std::int64_t elements = 1 << 22;
  const auto device = make();
  for (int i = 0; i < 5; ++i) {
    const auto data = std::make_shared<std::vector<float>>(elements, 3.F);
    const auto upload = upload_given(*device, data);
    device->synchronize();
    EXPECT_TRUE(upload->event()->ready());
  }
}

TEST_P(Overlap, AnInputFromElsewhereIsAwaitedByWhatReadsIt) {
  const auto device = make();
  Program program("late");
  const Slice x = program.input(), late = program.input(), a = program.output(), b = program.output();
  std::promise<void> ran;
  program.thunk("first", {x}, {a}, [=, &ran](const Launch& launch) {
    for (int i = 0; i < 4; ++i) launch.at<float>(a)[i] = launch.at<float>(x)[i];
    ran.set_value();
  });
  program.add_scalar(b, late, 1);
  const auto gate = promised();
  const std::vector<BufferPtr> inputs{floats(*device, {1, 2, 3, 4}), gate};
  const auto outputs = device->launch(program.finish(), inputs);
  ran.get_future().wait();  // before the other input is there
  fulfil(*device, gate, 5);
  EXPECT_THAT(values(outputs[0]), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values(outputs[1]), ElementsAre(6, 6, 6, 6));
}

TEST_P(Overlap, ManyStepsGiveTheSameNumbersAsOneAfterTheOther) {
  const auto device = make();
  std::promise<void> go;
  go.set_value();
  const auto step = told_step(go.get_future().share());
  std::vector<BufferPtr> state{floats(*device, {0, 1, 2, 3})}, outputs;
  std::vector<BufferPtr> told;
  for (int i = 0; i < 500; ++i) {
    device->launch(step, std::move(state), outputs, [] {});
    told.push_back(outputs[1]);
    state = {std::move(outputs[0])};
    outputs.clear();
  }
  for (int i = 0; i < 500; ++i) {
    const auto n = static_cast<float>(i + 1);
    ASSERT_THAT(values(told[i]), ElementsAre(n, n + 1, n + 2, n + 3));
  }
  device->synchronize();
  EXPECT_EQ(device->stats().donation_copies, 0u);
  EXPECT_EQ(device->stats().launches, 500u);
}

TEST_P(Overlap, SynchronizeWaitsForAllStreams) {
  const auto device = make();
  std::promise<void> go;
  const auto x = floats(*device, {1, 2, 3, 4});
  const auto outputs = device->launch(told_input(go.get_future().share()), std::span(&x, 1));
  launch_one(*device, adder(1), x);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    go.set_value();
  });
  device->synchronize();
  EXPECT_TRUE(outputs[1]->event()->ready());
  later.join();
}

TEST_P(Overlap, AFailureLeavesWhatWasMadeBefore) {
  const auto device = make();
  std::promise<void> go;
  Program program("half");
  const Slice x = program.input(), y = program.output(), told = program.output();
  program.add_scalar(y, x, 1);
  program.thunk_on(StreamKind::host, "tell", {x}, {told}, [future = go.get_future().share()](const Launch&) {
    future.wait();
    throw Error("nobody listens");
  });
  const auto input = floats(*device, {1, 2, 3, 4});
  const auto outputs = device->launch(program.finish(), std::span(&input, 1));
  EXPECT_THAT(values(outputs[0]), ElementsAre(2, 3, 4, 5));
  go.set_value();
  EXPECT_EQ(message_of([&] { outputs[1]->wait(); }), "nobody listens (tell, step 0 of half)");
  const auto after = launch_one(*device, adder(1), outputs[1]);
  EXPECT_THAT(message_of([&] { after->wait(); }), HasSubstr("nobody listens"));
  EXPECT_THAT(values(launch_one(*device, adder(1), outputs[0])), ElementsAre(3, 4, 5, 6));
  device->synchronize();
  EXPECT_EQ(device->stats().failed_launches, 1u);
  EXPECT_EQ(device->stats().skipped_launches, 1u);
}

std::vector<DeviceKind> computing_kinds() {
  auto kinds = device_kinds();
  std::erase_if(kinds, [](const DeviceKind& kind) { return !kind.computes; });
  return kinds;
}
INSTANTIATE_TEST_SUITE_P(Devices, Overlap, ::testing::ValuesIn(computing_kinds()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace weft::runtime
