// Launches of short programs, which may run on the thread that launches them.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <tests/runtime/programs.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

// A program that adds one and tells which thread ran it.
class Observed {
 public:
  explicit Observed(std::string name, StreamKind stream = StreamKind::compute) {
    Program program(std::move(name));
    const Slice x = program.input(), y = program.output();
    program.thunk_on(stream, "add", {x}, {y}, [=, this](const Launch& launch) {
      if (fails) throw Error("refused");
      thread = std::this_thread::get_id();
      if (is_slow) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      for (int i = 0; i < 4; ++i) launch.at<float>(y)[i] = launch.at<float>(x)[i] + 1;
    });
    executable_ = program.finish();
  }

  BufferPtr launch(Device& device, BufferPtr input) {
    std::vector<BufferPtr> inputs = {std::move(input)}, outputs;
    done = device.launch_with_context(executable_, std::move(inputs), outputs, nullptr);
    return outputs[0];
  }
  // Launches until the calling thread runs the program. A launch may take long when others need the CPU, so it tries often.
  bool comes_to_run_here(Device& device) {
    for (int i = 0; i < 1000; ++i) {
      launch(device, floats(device, {1, 2, 3, 4}))->wait();
      device.synchronize();
      if (thread == std::this_thread::get_id()) return true;
    }
    return false;
  }

  std::atomic<std::thread::id> thread;
  std::atomic<bool> is_slow = false, fails = false;
  std::shared_ptr<Event> done;

 private:
  std::shared_ptr<const Executable> executable_;
};

TEST(ShortLaunch, RunsOnTheCallersThreadOnceTheProgramIsKnownToBeShort) {
  CpuDevice device;
  Observed program("short");
  program.launch(device, floats(device, {1, 2, 3, 4}))->wait();
  EXPECT_NE(program.thread.load(), std::this_thread::get_id());
  ASSERT_TRUE(program.comes_to_run_here(device));
  EXPECT_THAT(values(program.launch(device, floats(device, {1, 1, 1, 1}))), Each(2));
}

TEST(ShortLaunch, OfAProgramThatWasSlowRunsOnTheDevicesThread) {
  CpuDevice device;
  Observed program("slow");
  program.is_slow = true;
  for (int i = 0; i < 4; ++i) {
    program.launch(device, floats(device, {1, 2, 3, 4}))->wait();
    device.synchronize();
    EXPECT_NE(program.thread.load(), std::this_thread::get_id());
  }
}

TEST(ShortLaunch, OfAFunctionOfTheHostRunsOnAnotherThread) {
  CpuDevice device;
  Observed program("host", StreamKind::host);
  for (int i = 0; i < 100; ++i) {
    program.launch(device, floats(device, {1, 2, 3, 4}))->wait();
    device.synchronize();
    EXPECT_NE(program.thread.load(), std::this_thread::get_id());
  }
}

TEST(ShortLaunch, BehindAnotherLaunchWaitsForItsTurn) {
  CpuDevice device;
  Observed program("short");
  ASSERT_TRUE(program.comes_to_run_here(device));
  std::promise<void> go;
  Program blocked("blocked");
  const Slice x = blocked.input(), y = blocked.output();
  blocked.thunk("wait", [=, &go](const Launch& launch) {
    go.get_future().wait();
    for (int i = 0; i < 4; ++i) launch.at<float>(y)[i] = launch.at<float>(x)[i];
  });
  const BufferPtr first = launch_one(device, blocked.finish(), floats(device, {1, 1, 1, 1}));
  const BufferPtr second = program.launch(device, first);
  EXPECT_FALSE(program.done->ready());
  go.set_value();
  EXPECT_THAT(values(second), Each(2));
  EXPECT_NE(program.thread.load(), std::this_thread::get_id());
}

TEST(ShortLaunch, ReportsTheErrorOfTheProgram) {
  CpuDevice device;
  Observed program("short");
  ASSERT_TRUE(program.comes_to_run_here(device));
  program.fails = true;
  const BufferPtr output = program.launch(device, floats(device, {1, 2, 3, 4}));
  EXPECT_THAT(message_of([&] { output->wait(); }), HasSubstr("refused"));
  EXPECT_EQ(device.stats().failed_launches, 1u);
}

TEST(ShortLaunch, OfManyThreadsRunOneAtATime) {
  CpuDevice device;
  Program counted("counted");
  const Slice x = counted.input(), y = counted.output();
  std::atomic<int> running = 0, most = 0;
  counted.thunk("add", [=, &running, &most](const Launch& launch) {
    most = std::max(most.load(), ++running);
    for (int i = 0; i < 4; ++i) launch.at<float>(y)[i] = launch.at<float>(x)[i] + 1;
    --running;
  });
  const auto executable = counted.finish();
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      BufferPtr value = floats(device, {0, 0, 0, 0});
      for (int i = 0; i < 500; ++i) {
        std::vector<BufferPtr> inputs = {std::move(value)}, outputs;
        device.launch_with_context(executable, std::move(inputs), outputs, nullptr);
        value = outputs[0];
      }
      wrong += values(value)[0] != 500;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(most, 1);
}

}  // namespace
}  // namespace weft::runtime
