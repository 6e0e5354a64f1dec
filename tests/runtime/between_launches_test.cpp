// The work of the device's thread between two launches: it is the same for one output and for a thousand, and makes no heap
// allocations.
#include <array>
#include <cstring>
#include <memory>
#include <tests/runtime/programs.h>
#include <tests/support/counted_heap.h>
#include <vector>

#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

using test::heap_use;

// Counts heap allocations and deallocations between launches, by launch number.
class Between {
 public:
  void begins(std::uint64_t launch) {
    const auto [allocations, releases] = heap_use;
    if (launch > 0) uses_.at(launch - 1) = allocations + releases - at_end_;
  }
  void ends() { at_end_ = heap_use.allocations + heap_use.releases; }
  std::uint64_t uses(std::uint64_t launch) const { return uses_.at(launch); }

 private:
  std::uint64_t at_end_ = 0;
  std::array<std::uint64_t, 100> uses_{};
};

// A program whose outputs take over its inputs, except for one: a loss.
std::shared_ptr<const Executable> step(int tensors, Between& between) {
  Program program("step");
  const Slice first = program.input();
  program.thunk("begins", [&between](const Launch& launch) { between.begins(launch.step); });
  const Slice sum = program.output(0);
  program.add_scalar(sum, first, 1);
  for (int i = 1; i < tensors; ++i) {
    const Slice input = program.input();
    program.add_scalar(program.output(i), input, 1);
  }
  program.add_scalar(program.output(), sum, 0);
  program.thunk("ends", [&between](const Launch&) { between.ends(); });
  return program.finish();
}

class ReadFirst final : public Read {
 public:
  float value = 0;

 private:
  void take(std::span<const std::byte> bytes) override { std::memcpy(&value, bytes.data(), sizeof value); }
};

class BetweenLaunches : public ::testing::TestWithParam<int> {};

TEST_P(BetweenLaunches, NothingIsAskedOfTheHeap) {
  if (!WEFT_COUNTS_HEAP) GTEST_SKIP() << "a sanitizer has the heap";
  constexpr int launches = 60;
  Between between;
  CpuDevice device({.run_ahead_launches = 2 * launches});
  const auto program = step(GetParam(), between);
  std::vector<BufferPtr> state, outputs;
  std::vector<std::shared_ptr<ReadFirst>> losses;
  const auto gate = promised();  // launches all before one runs, because a device with nothing to run does more
  state.push_back(gate);
  for (int i = 1; i < GetParam(); ++i) state.push_back(floats(device, {0, 0, 0, 0}));
  for (int i = 0; i < launches; ++i) {
    device.launch(program, std::move(state), outputs, [] {});
    losses.push_back(std::make_shared<ReadFirst>());
    device.read(outputs.back(), losses.back());
    outputs.pop_back();
    std::swap(state, outputs);
    outputs.clear();
  }
  fulfil(device, gate, 0);
  device.synchronize();
  for (std::uint64_t launch = launches / 2; launch + 1 < launches; ++launch)
    EXPECT_EQ(between.uses(launch), 0u) << launch;
  EXPECT_EQ(values(state[0])[0], launches);
  EXPECT_EQ(losses.back()->value, launches);
}
INSTANTIATE_TEST_SUITE_P(Tensors, BetweenLaunches, ::testing::Values(1, 1000));

}  // namespace
}  // namespace weft::runtime
