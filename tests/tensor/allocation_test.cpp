// A step that ran before does not allocate from the heap.
#include <cstdint>
#include <tests/support/counted_heap.h>
#include <vector>

#include <gtest/gtest.h>

#include <weft/base/knobs.h>
#include <weft/record/sync.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>

namespace weft {
namespace {

class KnownStep : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!WEFT_COUNTS_HEAP) GTEST_SKIP() << "a sanitizer has the heap";
  }
  knobs::Override<knobs::Text> backend_{knobs::backend, "interpreter"};  // avoids compiling thousands of operations
};

// Runs steps with 100 tensors and one number each, and counts the allocations of the last `counted` steps. Each step
// starts when the device is idle, and ends with a read of one of the tensors without a wait.
struct Taken {
  std::uint64_t recording = 0, syncing = 0, reading = 0;
};
Taken run_steps(int operations, int steps, int counted) {
  std::vector<Tensor> state;
  for (int i = 0; i < 100; ++i) state.push_back(ones({1}));
  double rate = 1;
  Future<double> read;
  Taken taken;
  for (int step = 0; step < steps; ++step) {
    device().synchronize();  // a larger run-ahead than before would allocate, depending on timing
    const std::uint64_t before = test::heap_use.allocations;
    for (int i = 0; i < operations; ++i) {
      Tensor& x = state[static_cast<std::size_t>(i) % state.size()];
      x = i < 100 ? x * rate : x + x;
    }
    rate += 0.5;
    const std::uint64_t recorded = test::heap_use.allocations;
    sync();
    const std::uint64_t synced = test::heap_use.allocations;
    read = state[7].item_async();
    if (step < steps - counted) continue;
    taken.recording += recorded - before;
    taken.syncing += synced - recorded;
    taken.reading += test::heap_use.allocations - synced;
  }
  EXPECT_EQ(last_sync().outputs, 100u);
  EXPECT_FALSE(last_sync().compiled);
  return taken;
}

TEST_F(KnownStep, OfTenThousandNodesIsRecordedAndSyncedWithoutTheHeap) {
  const Taken taken = run_steps(10'000, 80, 20);
  EXPECT_GE(last_sync().nodes, 10'000u);
  EXPECT_EQ(taken.recording, 0u);
  EXPECT_EQ(taken.syncing, 0u);
}

TEST_F(KnownStep, StaysWithoutTheHeapForLong) {
  const Taken taken = run_steps(200, 600, 300);
  EXPECT_EQ(taken.recording, 0u);
  EXPECT_EQ(taken.syncing, 0u);
  EXPECT_EQ(taken.reading, 0u);
}

}  // namespace
}  // namespace weft
