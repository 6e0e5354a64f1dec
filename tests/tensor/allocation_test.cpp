// What a step that was seen before costs the heap: nothing.
#include <cstdlib>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include <weft/base/knobs.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/sync.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEFT_COUNTS_ALLOCATIONS 0  // their allocator is not to be replaced
#else
#define WEFT_COUNTS_ALLOCATIONS 1
#endif

namespace {
constinit thread_local std::uint64_t allocations = 0;  // of this thread
}

#if WEFT_COUNTS_ALLOCATIONS
// Every other form of new ends in one of these.
void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* at = std::malloc(bytes ? bytes : 1)) return at;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  ++allocations;
  const auto align = static_cast<std::size_t>(alignment);
  if (void* at = std::aligned_alloc(align, (bytes + align - 1) / align * align)) return at;
  throw std::bad_alloc();
}
void operator delete(void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }
void operator delete(void* at, std::align_val_t) noexcept { std::free(at); }
void operator delete(void* at, std::size_t, std::align_val_t) noexcept { std::free(at); }
#endif

namespace weft {
namespace {

class KnownStep : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!WEFT_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer has the heap";
  }
  knobs::Override<knobs::Text> backend_{knobs::backend,
                                        "interpreter"};  // spares the compile of thousands of operations
};

// Of 100 tensors and one number each; what the last `counted` of the steps took.
struct Taken {
  std::uint64_t recording = 0, syncing = 0;
};
Taken run(int operations, int steps, int counted) {
  std::vector<Tensor> state;
  for (int i = 0; i < 100; ++i) state.push_back(ones({2}));
  double rate = 1;
  Taken taken;
  for (int step = 0; step < steps; ++step) {
    const std::uint64_t before = allocations;
    for (int i = 0; i < operations; ++i) {
      Tensor& x = state[static_cast<std::size_t>(i) % state.size()];
      x = i < 100 ? x * rate : x + x;
    }
    rate += 0.5;
    const std::uint64_t recorded = allocations;
    sync();
    if (step < steps - counted) continue;
    taken.recording += recorded - before;
    taken.syncing += allocations - recorded;
  }
  EXPECT_EQ(last_sync().outputs, 100u);
  EXPECT_FALSE(last_sync().compiled);
  return taken;
}

TEST_F(KnownStep, OfTenThousandNodesIsRecordedAndSyncedWithoutTheHeap) {
  const Taken taken = run(10'000, 80, 20);
  EXPECT_GE(last_sync().nodes, 10'000u);
  EXPECT_EQ(taken.recording, 0u);
  EXPECT_EQ(taken.syncing, 0u);
}

TEST_F(KnownStep, StaysWithoutTheHeapForLong) {
  const Taken taken = run(200, 600, 300);
  EXPECT_EQ(taken.recording, 0u);
  EXPECT_EQ(taken.syncing, 0u);
}

}  // namespace
}  // namespace weft
