// The conformance tests that every device must pass, whatever its kind.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <future>
#include <span>
#include <tests/runtime/device_kinds.h>
#include <tests/runtime/programs.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Conformance : public ::testing::TestWithParam<DeviceKind> {
 protected:
  std::unique_ptr<Device> make(DeviceOptions options = {}) const { return GetParam().make(options); }
  bool computes() const { return GetParam().computes; }
  // Returns the expected result of a launch, or zeros on a device that does not compute.
  std::vector<float> computed(std::vector<float> expected) const {
    if (!computes()) std::ranges::fill(expected, 0.0f);
    return expected;
  }
};

// Memory and copies

TEST_P(Conformance, GivesBackTheBytesItWasGiven) {
  const auto device = make();
  for (const std::int64_t elements : {0, 1, 3, 1000, 1 << 20}) {
    std::vector<float> given(elements);
    for (std::size_t i = 0; i < given.size(); ++i) given[i] = static_cast<float>(i);
    const auto x = floats(*device, given);
    std::ranges::fill(given, -1.0f);  // the device must have a copy
    const auto back = values(x);
    ASSERT_EQ(back.size(), given.size());
    for (std::size_t i = 0; i < back.size(); ++i) ASSERT_EQ(back[i], static_cast<float>(i)) << elements;
  }
}

TEST_P(Conformance, UploadsAreLargeOnlyAsTheirType) {
  const auto device = make();
  EXPECT_EQ(message_of([&] { device->upload(Type(DType::f32, {2}), {}); }), "upload: tensor<2xf32> has 8 bytes, got 0");
}

TEST_P(Conformance, ReadsInTheOrderOfLaunches) {
  const auto device = make();
  const auto gate = promised();
  const auto x = launch_one(*device, adder(1), gate);
  std::vector<float> before, after;
  const auto read_before = device->read(x, [&](std::span<const std::byte> bytes) { before = values(bytes); });
  const auto y = launch_one(*device, updater(100), x);  // overwrites the bytes of x
  const auto read_after = device->read(y, [&](std::span<const std::byte> bytes) { after = values(bytes); });
  fulfil(*device, gate, 0);
  read_before->wait();
  read_after->wait();
  EXPECT_EQ(before, computed({1, 1, 1, 1}));
  EXPECT_EQ(after, computed({101, 101, 101, 101}));
}

TEST_P(Conformance, MemoryComesBackWithItsBuffer) {
  constexpr std::int64_t elements = 1 << 20;
  const auto device = make();
  const auto before = device->stats().bytes_in_use;
  {
    auto x = device->upload(Type(DType::f32, {elements}), std::vector<std::byte>(elements * sizeof(float)));
    x = launch_one(*device, adder(1, elements), x);
    x->wait();
    device->synchronize();
    EXPECT_GE(device->stats().bytes_in_use, before + elements * sizeof(float));
  }
  device->synchronize();
  EXPECT_EQ(device->stats().bytes_in_use, before);
}

TEST_P(Conformance, RepeatedStepsTakeNoNewMemory) {
  constexpr std::int64_t elements = 1 << 18;
  Program program("step", elements);
  const Slice x = program.input(), t = program.temporary(), y = program.output(0), loss = program.output();
  program.add_scalar(t, x, 1).add_scalar(y, t, 0).add_scalar(loss, t, 1);
  const auto step = program.finish();
  const auto device = make();
  auto state = device->upload(Type(DType::f32, {elements}), std::vector<std::byte>(elements * sizeof(float)));
  const auto run = [&] {
    const auto outputs = device->launch(step, std::span(&state, 1));
    state = outputs[0];
    device->read(outputs[1], [](auto) {})->wait();
    return outputs[1];
  };
  // A device may still hold a loss that was read when the next step is launched: these steps hold one too.
  BufferPtr held = run();
  for (int i = 0; i < 2; ++i) held = run();
  held = nullptr;
  device->synchronize();
  const auto before = device->stats();
  for (int i = 0; i < 20; ++i) run();
  device->synchronize();
  EXPECT_EQ(device->stats().system_allocations, before.system_allocations);
  EXPECT_EQ(device->stats().peak_bytes_in_use, before.peak_bytes_in_use);
  EXPECT_EQ(values(state)[0], computed({23})[0]);
}

TEST_P(Conformance, TakesNoMoreMemoryThanItMay) {
  const auto device = make({.memory_bytes = 6 << 20});
  const auto x = device->upload(Type(DType::f32, {1 << 20}), std::vector<std::byte>(4 << 20));
  const auto y = launch_one(*device, adder(1, 1 << 20), x);
  EXPECT_EQ(message_of([&] { y->wait(); }),
            "allocate: cannot get 4.0 MiB: 4.0 MiB of 6.0 MiB are in use (add, step 0 of adder)");
  EXPECT_EQ(message_of([&] { device->upload(x->type(), std::vector<std::byte>(4 << 20)); }),
            "allocate: cannot get 4.0 MiB: 4.0 MiB of 6.0 MiB are in use");
}

TEST_P(Conformance, BuffersOutliveTheirDevice) {
  BufferPtr y;
  {
    const auto device = make();
    y = launch_one(*device, adder(1), floats(*device, {1, 2, 3, 4}));
  }
  EXPECT_EQ(values(y), computed({2, 3, 4, 5}));
}

// Launches

TEST_P(Conformance, BindsEveryKindOfAllocation) {
  Program program("kinds");
  const Slice x = program.input(), seven = program.constant(7), t1 = program.temporary(), t2 = program.temporary();
  const Slice y = program.output();
  program.pass_through(x);
  program.add_scalar(t1, x, 1).add_scalar(t2, seven, 0);
  program.thunk("product", {t1, t2}, {y}, [=](const Launch& launch) {
    for (int i = 0; i < 4; ++i) launch.at<float>(y)[i] = launch.at<float>(t1)[i] * launch.at<float>(t2)[i];
  });
  const auto device = make();
  const auto input = floats(*device, {1, 2, 3, 4});
  const auto outputs = device->launch(program.finish(), std::span(&input, 1));
  EXPECT_EQ(values(outputs[0]), computed({14, 21, 28, 35}));
  EXPECT_THAT(values(outputs[1]), ElementsAre(1, 2, 3, 4));
}

TEST_P(Conformance, LaunchesReturnBeforeTheirInputsAreThere) {
  const auto device = make();
  const auto x = promised();
  auto y = launch_one(*device, adder(1), x);
  for (int i = 0; i < 5; ++i) y = launch_one(*device, adder(1), y);
  EXPECT_FALSE(y->event()->ready());
  EXPECT_EQ(device->stats().host_waits, 0u);
  fulfil(*device, x, 1);
  EXPECT_EQ(values(y), computed({7, 7, 7, 7}));
}

TEST_P(Conformance, TensorsWithoutElementsAreOrdinary) {
  const auto device = make();
  const auto x = device->upload(Type(DType::f32, {0}), {});
  EXPECT_TRUE(values(launch_one(*device, adder(1, 0), x)).empty());
}

TEST_P(Conformance, LaunchesRunInTheirOrder) {
  const auto device = make({.run_ahead_launches = 100});
  std::vector<std::uint64_t> order;
  const auto gate = promised();
  launch_one(*device, adder(0), gate);
  for (int i = 0; i < 50; ++i) {
    Program program("note");
    program.thunk("note", {}, {}, [&order](const Launch& launch) { order.push_back(launch.step); });
    device->launch(program.finish(), {});
  }
  fulfil(*device, gate, 0);
  device->synchronize();
  EXPECT_EQ(order.size(), computes() ? 50u : 0u);
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST_P(Conformance, TakesItsOwnBuffersAndThoseOfTheHost) {
  const auto one = make(), other = make();
  const auto x = floats(*one, {1, 2, 3, 4});
  EXPECT_NE(one->id(), other->id());
  const auto names_both = AllOf(HasSubstr(one->id().text()), HasSubstr(other->id().text()));
  EXPECT_THAT(message_of([&] { launch_one(*other, adder(1), x); }), names_both);
  EXPECT_THAT(message_of([&] { other->read(x, [](std::span<const std::byte>) {}); }), names_both);
}

TEST_P(Conformance, ManyThreadsMayLaunch) {
  const auto device = make({.run_ahead_launches = 4});
  constexpr int threads = 4, launches = 50;
  std::vector<BufferPtr> results(threads);
  std::vector<std::thread> hosts;
  for (int t = 0; t < threads; ++t) {
    hosts.emplace_back([&, t] {
      auto x = floats(*device, {0, 0, 0, static_cast<float>(t)});
      for (int i = 0; i < launches; ++i) {
        x = launch_one(*device, i % 2 ? updater(1) : adder(1), x);
        if (i % 11 == 0) values(x);
      }
      results[t] = x;
    });
  }
  for (auto& host : hosts) host.join();
  for (int t = 0; t < threads; ++t)
    EXPECT_EQ(values(results[t]), computed({launches, launches, launches, static_cast<float>(launches + t)}));
  device->synchronize();
  EXPECT_EQ(device->stats().launches, static_cast<std::uint64_t>(threads * launches));
}

// Integers are exact in f32 up to 2^24.
TEST_P(Conformance, AMillionSmallLaunches) {
  constexpr int launches = 1'000'000;
  const auto device = make({.run_ahead_launches = 1000});
  const auto program = updater(1);
  std::vector<BufferPtr> state{floats(*device, {0, 1, 2, 3})}, outputs;
  for (int i = 0; i < launches; ++i) {
    device->launch(program, std::move(state), outputs, [] {});
    std::swap(state, outputs);
    outputs.clear();
  }
  const float runs = computes() ? launches : 0;
  EXPECT_THAT(values(state[0]), ElementsAre(runs, runs + 1, runs + 2, runs + 3));
  EXPECT_EQ(device->stats().launches, static_cast<std::uint64_t>(launches));
  EXPECT_LE(device->stats().system_allocations, 8u);
}

// Donation

TEST_P(Conformance, ADonatedInputGivesItsMemory) {
  const auto device = make();
  const auto x = floats(*device, {1, 2, 3, 4});
  device->synchronize();
  const auto before = device->stats().bytes_in_use;
  const auto y = launch_one(*device, updater(1), x);
  const float runs = computes() ? 1 : 0;
  EXPECT_THAT(values(y), ElementsAre(runs + 1, runs + 2, runs + 3, runs + 4));
  EXPECT_EQ(device->stats().bytes_in_use, before);
  EXPECT_EQ(device->stats().donation_copies, 0u);
  EXPECT_EQ(message_of([&] { launch_one(*device, adder(1), x); }),
            "launch: adder: input 0 tensor<4xf32> was donated to an earlier launch");
  EXPECT_EQ(message_of([&] { device->read(x, [](auto) {}); }),
            "read: the buffer tensor<4xf32> was donated to an earlier launch");
  EXPECT_EQ(message_of([&] { (void)x->bytes(); }), "bytes: the buffer tensor<4xf32> was donated to a launch");
}

TEST_P(Conformance, AHeldInputIsCopiedBeforeItIsOverwritten) {
  const auto device = make();
  const auto x = floats(*device, {1, 2, 3, 4});
  x->add_holder();
  const auto y = launch_one(*device, updater(1), x);
  y->wait();
  if (computes()) {
    EXPECT_THAT(values(y), ElementsAre(2, 3, 4, 5));
  }
  EXPECT_THAT(values(x), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(device->stats().donation_copies, 1u);
  x->remove_holder();
}

TEST_P(Conformance, AnInputGivenTwiceIsCopiedBeforeItIsOverwritten) {
  Program program("twice");
  const Slice x = program.input(), y = program.input(), updated = program.output(0), sum = program.output();
  program.add_scalar(updated, x, 1);
  program.thunk("sum", {updated, y}, {sum}, [=](const Launch& launch) {
    for (int i = 0; i < 4; ++i) launch.at<float>(sum)[i] = launch.at<float>(updated)[i] + launch.at<float>(y)[i];
  });
  const auto device = make();
  const std::vector<BufferPtr> inputs(2, floats(*device, {1, 2, 3, 4}));
  const auto outputs = device->launch(program.finish(), inputs);
  if (computes()) {
    EXPECT_THAT(values(outputs[0]), ElementsAre(2, 3, 4, 5));
  }
  EXPECT_EQ(values(outputs[1]), computed({3, 5, 7, 9}));
}

// Errors

TEST_P(Conformance, WrongInputsAreRefusedAtTheCall) {
  const auto device = make();
  const auto x = floats(*device, {1, 2});
  const BufferPtr none;
  EXPECT_EQ(message_of([&] { launch_one(*device, adder(1), x); }),
            "launch: adder: input 0 is tensor<2xf32>, expected tensor<4xf32>");
  EXPECT_EQ(message_of([&] { device->launch(adder(1), {}); }), "launch: adder takes 1 inputs, got 0");
  EXPECT_EQ(message_of([&] { launch_one(*device, adder(1), none); }), "launch: adder: input 0 is null");
  EXPECT_EQ(device->stats().launches, 0u);
}

TEST_P(Conformance, AFailedLaunchNamesItselfAndItsDependentsAreSkipped) {
  if (!computes()) GTEST_SKIP() << "a device that runs no thunk has no thunk that fails";
  const auto device = make();
  const auto x = floats(*device, {1, 2, 3, 4});
  const auto first = launch_one(*device, thrower("index 9 is out of range"), x);
  const auto second = launch_one(*device, adder(1), first), third = launch_one(*device, updater(1), second);
  for (const BufferPtr& buffer : {first, second, third})
    EXPECT_EQ(message_of([&] { buffer->wait(); }), "index 9 is out of range (bad, step 0 of thrower)");
  EXPECT_THAT(values(launch_one(*device, adder(1), x)), ElementsAre(2, 3, 4, 5));
  device->synchronize();
  EXPECT_EQ(device->stats().failed_launches, 1u);
  EXPECT_EQ(device->stats().skipped_launches, 2u);
}

TEST_P(Conformance, ABrokenPromiseSkipsWhatNeedsIt) {
  const auto device = make();
  const auto x = promised();
  const auto y = launch_one(*device, adder(1), x);
  bool called = false;
  const auto read = device->read(y, [&](auto) { called = true; });
  x->fail(std::make_exception_ptr(Error("the disk is gone")));
  EXPECT_EQ(message_of([&] { y->wait(); }), "the disk is gone");
  EXPECT_EQ(message_of([&] { read->wait(); }), "the disk is gone");
  EXPECT_FALSE(called);
  EXPECT_NO_THROW(device->synchronize());
}

TEST_P(Conformance, SynchronousLaunchesAreDoneWhenTheyReturn) {
  const auto device = make({.synchronous = true});
  const auto y = launch_one(*device, adder(1), floats(*device, {1, 2, 3, 4}));
  EXPECT_TRUE(y->event()->ready());
  EXPECT_TRUE(launch_one(*device, thrower("no"), y)->event()->ready());
}

// Events

TEST_P(Conformance, EventsCallBackOnAThreadOfTheirOwn) {
  const auto device = make();
  const auto gate = promised();
  const auto x = launch_one(*device, adder(1), gate);
  std::promise<void> release, done;
  std::vector<float> seen;
  std::vector<int> order;
  x->event()->then([&](const std::exception_ptr& error) {
    order.push_back(error ? -1 : 0);
    release.get_future().wait();  // must delay neither the device nor a waiting thread
    seen = values(launch_one(*device, adder(1), x));
  });
  x->event()->then([&](const std::exception_ptr&) { order.push_back(1); });
  fulfil(*device, gate, 1);
  EXPECT_EQ(values(launch_one(*device, adder(5), x)), computed({7, 7, 7, 7}));
  release.set_value();
  // Already set: the earlier callbacks run first.
  x->event()->then([&](const std::exception_ptr&) { done.set_value(); });
  done.get_future().wait();
  EXPECT_EQ(seen, computed({3, 3, 3, 3}));
  EXPECT_THAT(order, ElementsAre(0, 1));
}

TEST_P(Conformance, EventsCallBackWithTheErrorOfTheLaunch) {
  const auto device = make();
  const auto x = promised();
  const auto y = launch_one(*device, adder(1), x);
  std::promise<std::exception_ptr> told;
  y->event()->then([&](const std::exception_ptr& error) { told.set_value(error); });
  x->fail(std::make_exception_ptr(Error("the disk is gone")));
  EXPECT_EQ(message_of([&] { std::rethrow_exception(told.get_future().get()); }), "the disk is gone");
  Event never;
  never.then([](const std::exception_ptr&) { ADD_FAILURE() << "called by an event that never came"; });
}

// Run-ahead

TEST_P(Conformance, TheHostIsAheadByAsManyLaunchesAsItMay) {
  const auto device = make({.run_ahead_launches = 3});
  const auto gate = promised();
  const auto program = adder(1);
  for (int i = 0; i < 3; ++i) launch_one(*device, program, gate);
  EXPECT_EQ(device->stats().launches, 3u);
  std::atomic<bool> accepted = false;
  std::thread host([&] {
    launch_one(*device, program, gate);
    accepted = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(accepted) << "a fourth launch was accepted before one of three was done";
  fulfil(*device, gate, 1);
  host.join();
  device->synchronize();
  EXPECT_EQ(device->stats().launches, 4u);
  EXPECT_LE(device->stats().peak_run_ahead, 3u);
}

TEST_P(Conformance, TheHostIsAheadByAsManyBytesAsItMay) {
  const auto device = make({.run_ahead_launches = 100, .run_ahead_bytes = 40});
  auto x = floats(*device, {1, 2, 3, 4});
  for (int i = 0; i < 20; ++i) x = launch_one(*device, adder(1), x);
  device->synchronize();
  EXPECT_LE(device->stats().peak_run_ahead_bytes, 40u);
  const auto small = make({.run_ahead_bytes = 1});
  EXPECT_EQ(values(launch_one(*small, adder(1), floats(*small, {1, 2, 3, 4}))), computed({2, 3, 4, 5}))
      << "one launch may always be accepted";
}

// The end

TEST_P(Conformance, EndsAfterWhatWasLaunched) {
  int runs = 0;
  {
    const auto device = make({.run_ahead_launches = 100});
    for (int i = 0; i < 20; ++i) {
      Program program("count");
      program.thunk("count", {}, {}, [&runs](const Launch&) { ++runs; });
      device->launch(program.finish(), {});
    }
  }
  EXPECT_EQ(runs, computes() ? 20 : 0);
}

TEST_P(Conformance, TheProcessMayEndWhileWorkRuns) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto launch_and_exit = [this] {
    static const auto device = make({.run_ahead_launches = 100});
    Program program("slow");
    program.thunk("sleep", {}, {}, [](const Launch&) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
    const auto slow = program.finish();
    for (int i = 0; i < 20; ++i) device->launch(slow, {});
    std::exit(7);
  };
  EXPECT_EXIT(launch_and_exit(), ::testing::ExitedWithCode(7), "");
}

INSTANTIATE_TEST_SUITE_P(Devices, Conformance, ::testing::ValuesIn(device_kinds()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace weft::runtime
