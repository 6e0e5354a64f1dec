// The overlap that follows from what thunks read and write, on a device whose times are declared: exact, and the same in every
// run. docs/design/streams.md shows the table.
#include <cstdint>
#include <functional>
#include <string>
#include <tests/runtime/programs.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

const auto no_work = [](const Launch&) {};
constexpr int steps = 20;

// Returns the microseconds that a thunk takes, from its name: "collective 30".
double time_in_name(const Thunk& thunk) { return std::stod(thunk.info.name.substr(thunk.info.name.rfind(' '))); }

struct Cost {
  double step_us;  // from the end of a step to the end of the next one, once the pipeline is full
  double idle_us;  // the part of step_us for which the compute stream is idle
};

// Runs steps; `next` makes the inputs of a step from the outputs of the step before.
Cost run(const std::shared_ptr<const Executable>& step,
         const std::function<std::vector<BufferPtr>(Device&, std::vector<BufferPtr>)>& next) {
  SimulatedDevice device({.thunk_us = time_in_name}, {.run_ahead_launches = 4});
  std::vector<BufferPtr> outputs;
  DeviceStats half;
  for (int i = 0; i < steps; ++i) {
    if (i == steps / 2) half = device.stats();
    outputs = device.launch(step, next(device, std::move(outputs)));
  }
  const DeviceStats end = device.stats();
  constexpr double measured = steps - steps / 2;
  const auto busy = static_cast<double>(end.busy_ns - half.busy_ns),
             idle = static_cast<double>(end.idle_ns - half.idle_ns);
  return {(busy + idle) / measured / 1e3, idle / measured / 1e3};
}

const auto from_the_step_before = [](Device& device, std::vector<BufferPtr> outputs) {
  if (outputs.empty()) outputs = {floats(device, {0, 0, 0, 0}), nullptr};
  outputs.resize(1);
  return outputs;
};

// The step computes for 100 us; then the host takes 60 us for a result that nothing in the step needs.
TEST(SimulatedOverlap, ASlowThunkOfTheHostIsHidden) {
  Program program("log");
  const Slice x = program.input(), y = program.output(0), told = program.output();
  program.thunk("compute 100", {x}, {y}, no_work);
  program.thunk_on(StreamKind::host, "tell 60", {y}, {told}, no_work);
  const auto [step_us, idle_us] = run(program.finish(), from_the_step_before);
  EXPECT_EQ(step_us, 160) << "the next step overwrites the bytes that the host reads";

  Program copied("log of a copy");
  const Slice a = copied.input(), b = copied.output(0), c = copied.temporary(), d = copied.output();
  copied.thunk("compute 100", {a}, {b}, no_work).thunk("copy 1", {b}, {c}, no_work);
  copied.thunk_on(StreamKind::host, "tell 60", {c}, {d}, no_work);
  const auto hidden = run(copied.finish(), from_the_step_before);
  EXPECT_EQ(hidden.step_us, 101);
  EXPECT_EQ(hidden.idle_us, 0);
}

// A gradient is reduced over a link while the rest of the backward pass runs; the update needs both.
TEST(SimulatedOverlap, ACollectiveIsHiddenBehindWhatDoesNotNeedIt) {
  const auto step_of = [](double collective_us) {
    Program program("reduce");
    const Slice x = program.input(), first = program.temporary(), second = program.temporary(),
                sum = program.temporary(), y = program.output(0);
    program.thunk("backward of the last layer 40", {x}, {first}, no_work);
    program.thunk_on(StreamKind::communication, concat("all-reduce ", collective_us), {first}, {sum}, no_work);
    program.thunk("backward of the first layers 50", {x}, {second}, no_work);
    program.thunk("update 10", {x, sum, second}, {y}, no_work);
    return run(program.finish(), from_the_step_before);
  };
  EXPECT_EQ(step_of(30).step_us, 100);
  EXPECT_EQ(step_of(30).idle_us, 0);
  EXPECT_EQ(step_of(70).step_us, 120);
  EXPECT_EQ(step_of(70).idle_us, 20) << "the part that the backward pass does not hide";
}

// Adding what arrived takes CPUs from the computation that hides the transfer, but only while both run.
TEST(SimulatedOverlap, WhatACollectiveComputesDelaysTheComputationBesideIt) {
  const auto step_of = [](double collective_us, double taken_us) {
    Program program("reduce");
    const Slice x = program.input(), first = program.temporary(), second = program.temporary(),
                sum = program.temporary(), y = program.output(0);
    program.thunk("backward of the last layer 40", {x}, {first}, nothing);
    program.thunk_on(StreamKind::communication, concat("all-reduce ", collective_us), {first}, {sum}, nothing);
    program.thunk("backward of the first layers 50", {x}, {second}, nothing);
    program.thunk("update 10", {x, sum, second}, {y}, nothing);
    std::vector<std::string> ran;
    SimulatedDevice device(
        {.thunk_us = time_in_name,
         .taken_us = [=](const Thunk&) { return taken_us; },
         .ran = [&](const Thunk& thunk, double begin,
                    double end) { ran.push_back(concat(thunk.info.name[0], ' ', begin, ' ', end)); }});
    const auto outputs = device.launch(program.finish(), std::vector{floats(device, {0, 0, 0, 0})});
    outputs[0]->wait();
    return ran;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(step_of(30, 0), ElementsAre("b 0 40", "a 40 70", "b 40 90", "u 90 100"));
  EXPECT_THAT(step_of(30, 8), ElementsAre("b 0 40", "a 40 70", "b 40 98", "u 98 108"));
  EXPECT_THAT(step_of(70, 60), ElementsAre("b 0 40", "a 40 110", "b 40 140", "u 140 150"))
      << "it takes no more than half of the time in which both run";
}

// Work that needs only the batch runs concurrently with the previous step.
TEST(SimulatedOverlap, WhatNeedsTheBatchAloneRunsBesideTheStepBefore) {
  const auto step_of = [](StreamKind stream, double lookup_us) {
    Program program("look up");
    const Slice state = program.input(), batch = program.input(), rows = program.temporary(), y = program.output(0);
    program.thunk_on(stream, concat("look up ", lookup_us), {batch}, {rows}, no_work);
    program.thunk("compute 100", {state, rows}, {y}, no_work);
    return run(program.finish(), [](Device& device, std::vector<BufferPtr> outputs) {
      if (outputs.empty()) outputs.push_back(floats(device, {0, 0, 0, 0}));
      outputs.push_back(floats(device, {1, 2, 3, 4}));
      return outputs;
    });
  };
  EXPECT_EQ(step_of(StreamKind::compute, 60).step_us, 160);
  EXPECT_EQ(step_of(StreamKind::host, 60).step_us, 100);
  EXPECT_EQ(step_of(StreamKind::host, 60).idle_us, 0);
  EXPECT_EQ(step_of(StreamKind::host, 130).step_us, 130) << "the slower of the two streams";
}

// The next batch is copied to the device while the step runs.
TEST(SimulatedOverlap, TheCopyOfTheNextBatchIsHidden) {
  const auto step_with = [](double copy_us) {
    Program program("train");
    const Slice state = program.input(), batch = program.input(), y = program.output(0);
    program.thunk("compute 100", {state, batch}, {y}, no_work);
    Program copy("copy");
    const Slice from = copy.input(), to = copy.output();
    copy.thunk_on(StreamKind::copy, concat("copy ", copy_us), {from}, {to}, no_work);
    const auto copied = copy.finish();
    return run(program.finish(), [copied](Device& device, std::vector<BufferPtr> outputs) {
      if (outputs.empty()) outputs.push_back(floats(device, {0, 0, 0, 0}));
      outputs.push_back(launch_one(device, copied, floats(device, {1, 2, 3, 4})));
      return outputs;
    });
  };
  EXPECT_EQ(step_with(80).step_us, 100);
  EXPECT_EQ(step_with(80).idle_us, 0);
  EXPECT_EQ(step_with(150).step_us, 150);
}

}  // namespace
}  // namespace weft::runtime
