// Thunks are prepared once, all of them before the first one runs.
#include <weft/runtime/preparation.h>

#include <atomic>
#include <string>
#include <tests/no_more_threads.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/runtime/cpu/cpu_device.h>
#include <weft/runtime/executable.h>

namespace weft::runtime {
namespace {

struct Seen {
  std::atomic<int> prepared = 0, ran = 0;
  std::atomic<bool> ran_too_early = false;
};

class PreparedThunk final : public Thunk {
 public:
  PreparedThunk(Seen& seen, bool fails) : seen_(seen), fails_(fails) {}
  void prepare() const override {
    ++seen_.prepared;
    require(!fails_, "there is no such product");
  }
  void run(const Launch&) const override {
    if (seen_.prepared < 8) seen_.ran_too_early = true;
    ++seen_.ran;
    require(!fails_, "there is no such product");
  }

 private:
  Seen& seen_;
  bool fails_;
};

std::shared_ptr<const Executable> eight_thunks(Seen& seen, int failing) {
  auto executable = std::make_shared<Executable>();
  executable->name = "eight";
  for (int i = 0; i < 8; ++i) {
    auto thunk = std::make_shared<PreparedThunk>(seen, i == failing);
    thunk->info.name = "thunk." + std::to_string(i);
    executable->thunks.push_back(thunk);
  }
  executable->allocations.push_back({.kind = Allocation::Kind::output, .bytes = 4});
  executable->outputs.push_back({.type = Type(DType::f32, {})});
  executable->preparation = std::make_shared<Preparation>(executable->thunks);
  return executable;
}

TEST(Preparation, ComesOnceBeforeAllThunks) {
  CpuDevice device;
  Seen seen;
  const auto executable = eight_thunks(seen, -1);
  for (int i = 0; i < 3; ++i) device.launch(executable, {})[0]->bytes();
  EXPECT_EQ(seen.prepared, 8);
  EXPECT_EQ(seen.ran, 24);
  EXPECT_FALSE(seen.ran_too_early);
}

TEST(Preparation, AThunkThatCannotBePreparedSaysSoWhereItRuns) {
  CpuDevice device;
  Seen seen;
  const auto executable = eight_thunks(seen, 5);
  try {
    device.launch(executable, {})[0]->bytes();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "there is no such product (thunk.5, step 0 of eight)");
  }
  EXPECT_EQ(seen.prepared, 8);
  EXPECT_EQ(seen.ran, 6);
}

TEST(Preparation, NeedsNoOtherThreads) {
  CpuDevice device;
  Seen seen;
  const auto executable = eight_thunks(seen, -1);
  const NoMoreThreads none;
  device.launch(executable, {})[0]->bytes();
  EXPECT_EQ(seen.prepared, 8);
  EXPECT_EQ(seen.ran, 8);
}

}  // namespace
}  // namespace weft::runtime
