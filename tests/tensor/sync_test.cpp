#include <weft/record/sync.h>

#include <array>
#include <cstdlib>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/diagnostics.h>
#include <weft/base/knobs.h>
#include <weft/base/log.h>
#include <weft/base/metrics.h>
#include <weft/record/plan_cache.h>
#include <weft/runtime/cpu/cpu_device.h>
#include <weft/runtime/simulated/simulated_device.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/linalg.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/random.h>
#include <weft/tensor/reduction.h>

namespace weft {
namespace {

using Floats = std::vector<float>;

TEST(Sync, LaunchesWhatIsHeldAndKeepsItsValues) {
  const Tensor x = tensor({1.f, 2.f, 3.f});
  const Tensor y = x + 1, z = y * y;
  sync();
  EXPECT_EQ(last_sync().outputs, 2u);
  EXPECT_EQ(y.to_vector<float>(), (Floats{2, 3, 4}));
  EXPECT_EQ(z.to_vector<float>(), (Floats{4, 9, 16}));
}

TEST(Sync, DropsWhatNobodyHolds) {
  const Tensor x = tensor({1.f, 2.f});
  Tensor y = x + 1;
  y = y * 2;  // the sum is only an operand from here on
  sync();
  EXPECT_EQ(last_sync().outputs, 1u);
  EXPECT_EQ(y.to_vector<float>(), (Floats{4, 6}));
}

// Returns the diagnostics for a loop whose state of 16 bytes is updated in each of five steps.
std::vector<diagnostics::Event> missed_donations(bool holds_the_old_one) {
  std::vector<diagnostics::Event> missed;
  const diagnostics::Sink sink([&](const diagnostics::Event& event) {
    if (event.kind == diagnostics::Kind::missed_donation) missed.push_back(event);
  });
  Tensor state = tensor({1.f, 2.f, 3.f, 4.f});
  const Tensor data = tensor({1.f, 1.f, 1.f, 1.f});
  for (int i = 0; i < 5; ++i) {
    const Tensor old = holds_the_old_one ? state : Tensor();
    state = state * 0.5f + data;
    sync();
  }
  return missed;
}

TEST(Sync, StateWhoseOldValueIsHeldIsToldOfOnce) {
  EXPECT_THAT(missed_donations(false), testing::IsEmpty());
  const std::vector<diagnostics::Event> missed = missed_donations(true);
  ASSERT_EQ(missed.size(), 1u);
  EXPECT_EQ(missed[0].bytes, 16u);
  EXPECT_THAT(missed[0].reason, testing::HasSubstr("1 of the 1 tensors"));
}

TEST(Sync, OfNothingDoesNothing) {
  sync();
  const auto before = device().stats().launches;
  sync();
  {
    const Tensor dropped = tensor({1.f}) + 1;
  }
  sync();
  EXPECT_EQ(device().stats().launches, before);
}

TEST(Sync, CompilesAGraphOnce) {
  const auto step = [](Tensor x, float rate) {
    x = x - x * rate;
    sync();
    return x;
  };
  Tensor x = step(tensor({1.f, 2.f}), 0.5f);
  x = step(x, 0.5f);
  const std::size_t plans = graph_cache_size();
  for (const float rate : {0.25f, 0.f, 1.f, 0.125f}) {
    x = step(x, rate);
    EXPECT_FALSE(last_sync().compiled) << rate;
  }
  EXPECT_EQ(graph_cache_size(), plans);
}

TEST(Sync, CompiledGraphsKeepToTheirBytes) {
  clear_graph_cache();
  const auto compile_one = [](double number) {
    (constant(number) + ones({3})).to_vector<float>();
    return graph_cache_size();
  };
  compile_one(1);
  EXPECT_GT(record::PlanCache::instance().bytes(), 0u);
  const knobs::Override<knobs::Integer> nothing{knobs::graph_cache_bytes, 1};
  EXPECT_EQ(compile_one(2), 0u) << "whatever is more than the limit leaves";
  EXPECT_EQ(record::PlanCache::instance().bytes(), 0u);
}

TEST(Sync, NumbersAreInputsByPosition) {
  const Tensor x = tensor({1.f});
  const Tensor a = x * 2 + 2;  // equal numbers are not merged
  sync();
  EXPECT_EQ(last_sync().numbers, 2u);
  const Tensor b = x * 3 + 4;
  sync();
  EXPECT_FALSE(last_sync().compiled);
  EXPECT_EQ(a.item(), 4);
  EXPECT_EQ(b.item(), 7);
}

TEST(Sync, ConstantsAreBakedIn) {
  const Tensor x = tensor({1.f});
  const Tensor a = x * constant(2);
  sync();
  EXPECT_EQ(last_sync().numbers, 0u);
  const Tensor b = x * constant(3);
  sync();
  EXPECT_TRUE(last_sync().compiled);
  EXPECT_EQ(a.item() + b.item(), 5);
}

TEST(Sync, KnobsChooseHowToCompile) {
  const Tensor x = random::normal(random::Key(1), {8, 8});
  sync();
  const auto thunks = [&] {
    const Tensor y = exp(x) * 2 + sum(x);
    sync();
    EXPECT_TRUE(last_sync().compiled);
    return last_compile()->thunks;
  };
  const int fused = thunks();
  const knobs::Override off(knobs::fuse, false);
  EXPECT_GT(thunks(), fused);
  const knobs::Override strict(knobs::strict, true);
  EXPECT_GT(thunks(), fused);
}

TEST(Sync, NumbersOfLaunchesInFlightAreNotOverwritten) {
  const Tensor x = tensor({1.f, 2.f});
  std::vector<Tensor> results;
  for (int i = 0; i < 40; ++i) {
    results.push_back(x * i);
    sync();
  }
  for (int i = 0; i < 40; ++i) EXPECT_EQ(results[i].to_vector<float>(), (Floats{1.f * i, 2.f * i}));
}

TEST(Sync, DonatesBuffersThatNoTensorHolds) {
  Tensor x = tensor({1.f, 2.f});
  sync();
  x = x + 1;
  sync();
  EXPECT_EQ(last_sync().donatable, 1u);
  const auto* before = x.bytes().data();
  x = x + 1;
  sync();
  EXPECT_EQ(x.bytes().data(), before) << "the sum should have taken the place of its operand";
  EXPECT_EQ(x.to_vector<float>(), (Floats{3, 4}));
  EXPECT_EQ(device().stats().donation_copies, 0u);
}

TEST(Sync, KeepsBuffersThatATensorHolds) {
  const Tensor x = tensor({1.f, 2.f});
  const Tensor y = x + 1;
  sync();
  EXPECT_EQ(last_sync().donatable, 0u);
  EXPECT_EQ(x.to_vector<float>(), (Floats{1, 2}));
  EXPECT_EQ(y.to_vector<float>(), (Floats{2, 3}));
}

TEST(Sync, DoesNotDonateABufferThatItsResultsHold) {
  Tensor x = tensor({1.f, 2.f}), y, same;
  y = x + 1;
  same = reshape(x, x.shape());
  x = Tensor();
  sync();
  EXPECT_EQ(last_sync().donatable, 0u);
  EXPECT_EQ(same.to_vector<float>(), (Floats{1, 2}));
  EXPECT_EQ(y.to_vector<float>(), (Floats{2, 3}));
}

TEST(Sync, ThatFailsLosesNothing) {
  Tensor x = tensor({1.f, 2.f});
  x = x + 1;
  const Tensor y = x * 3;
  {
    const knobs::Override broken(knobs::backend, "no such backend");
    EXPECT_THROW(sync(), Error);
    EXPECT_THROW(y.item(), Error);
  }
  EXPECT_EQ(x.to_vector<float>(), (Floats{2, 3}));
  EXPECT_EQ(y.to_vector<float>(), (Floats{6, 9}));
}

TEST(Sync, ThatCannotBeCompiledNamesStepOperationAndLine) {
  const CustomOp host = custom_op("sync.host", {.compute = [](const HostCall&) {}});
  const Tensor x = tensor({1.f, 2.f});
  Tensor y = x + 1;
  const int line = __LINE__ + 1;
  Tensor bad = host(y.to(DType::f8E5M2));
  const auto message = [] {
    try {
      sync();
    } catch (const UnsupportedError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string first = message();
  EXPECT_THAT(first, testing::AllOf(testing::HasSubstr(concat("custom_call at ", __FILE__, ":", line)),
                                    testing::HasSubstr(concat("(step ", device().stats().launches, ", "))));
  EXPECT_EQ(message(), first) << "it is as it was";
  bad = y * 2;
  EXPECT_EQ(bad.to_vector<float>(), (Floats{4, 6}));
  EXPECT_EQ(y.to_vector<float>(), (Floats{2, 3}));
}

TEST(Sync, WhoseLaunchRunsOutOfMemoryNamesStepOperationAndLine) {
  runtime::Device& before = device();
  runtime::CpuDevice tiny(runtime::DeviceOptions{.memory_bytes = 1 << 20});
  set_device(tiny);
  {
    const Tensor x = full({2, 1}, 3.f);
    sync();
    const int line = __LINE__ + 1;
    Tensor large = broadcast_to(x, {2, 1 << 20}) + 1;
    const Tensor small = x + 1;
    sync();
    try {
      large.to_vector<float>();
      ADD_FAILURE() << "there was no memory for it";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(),
                  testing::AllOf(testing::HasSubstr(concat(__FILE__, ":", line)), testing::HasSubstr("step 1")));
    }
    EXPECT_EQ((x * 2).to_vector<float>(), (Floats{6, 6})) << "the inputs are whole";
  }
  set_device(before);
}

TEST(Sync, WhoseLaunchFailsLosesNothing) {
  Tensor x = tensor({1.f, 2.f});
  sync();
  runtime::Device& before = device();
  runtime::CpuDevice tiny(runtime::DeviceOptions{.memory_bytes = 4096});
  x = x + 1;
  Tensor y = broadcast_to(reshape(x, {2, 1}), {2, 1 << 20});
  set_device(tiny);
  try {
    sync();
    EXPECT_THROW(y.to_vector<float>(), Error) << "the error belongs to the launch";
  } catch (const Error&) {
    set_device(before);
    EXPECT_EQ(y.to_vector<float>()[0], 2);
  }
  set_device(before);
}

// Resources of kernels must outlive the launches even if nobody waits: products of new sizes are prepared when they
// first run.
TEST(Sync, WhatIsLaunchedWhenTheProcessEndsIsDone) {
  std::string& style = testing::GTEST_FLAG(death_test_style);
  const std::string before = std::exchange(style, "threadsafe");
  const auto launch_and_end = [] {
    for (int n = 4; n < 40; ++n) {
      const Tensor x = ones({n, n}), y = matmul(x, x);
      sync();
    }
    std::exit(0);
  };
  EXPECT_EXIT(launch_and_end(), testing::ExitedWithCode(0), "");
  style = before;
}

TEST(Sync, SharesTheBufferOfEqualValues) {
  const Tensor x = tensor({1.f, 2.f}), y = x + 1;
  const Tensor same = reshape(y, {2}), z = y * 1;
  sync();
  EXPECT_EQ(last_sync().outputs, 2u);
  EXPECT_EQ(same.buffer(), y.buffer());
  Tensor a = same, b = y;  // each is a separate input now
  const Tensor sum = a + b;
  EXPECT_EQ(sum.to_vector<float>(), (Floats{4, 6}));
}

TEST(Sync, MakesANumberATensor) {
  const Tensor x = full({}, 3.5);
  EXPECT_EQ(x.item(), 3.5);
  EXPECT_EQ((x + 1).item(), 4.5);
}

TEST(Sync, ThreadsRecordOnTheirOwn) {
  const Tensor start = tensor({1.f, 2.f});
  std::array<Floats, 3> results;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] {
      Tensor x = start;  // shared by all threads
      for (int step = 0; step < 20; ++step) {
        x = x + static_cast<float>(t);
        sync();
      }
      results[t] = x.to_vector<float>();
    });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t t = 0; t < results.size(); ++t) {
    EXPECT_EQ(results[t], (Floats{1 + 20.f * static_cast<float>(t), 2 + 20.f * static_cast<float>(t)}));
  }
  EXPECT_EQ(start.to_vector<float>(), (Floats{1, 2}));
}

TEST(Sync, TensorsMadeOnOneThreadMayBeDroppedOnAnother) {
  for (int round = 0; round < 3; ++round) {
    std::vector<Tensor> made;
    std::thread([&] {
      for (int i = 0; i < 2000; ++i) made.push_back(tensor({1.f * i}));
    }).join();
    EXPECT_EQ((made[1999] + made[1]).item(), 2000);
  }
}

// The last operation of each is on the same line; otherwise it would be the first compile of another program.
TEST(Sync, SaysWhyItCompiledAgain) {
  std::vector<std::string> reasons;
  logging::set_sink([&](logging::Channel, std::string_view message) { reasons.emplace_back(message); });
  logging::set_channels("recompiles");
  const auto reason = [&](const std::function<Tensor(const Tensor&)>& step) {
    const Tensor x = tensor({1.f, 2.f}), y = sqrt(step(x));
    reasons.clear();
    sync();
    const std::string_view why = "compared with the last compiled one: ";
    for (const std::string& line : reasons)
      if (const auto at = line.find(why); at != line.npos) return line.substr(at + why.size());
    return reasons.empty() ? std::string() : reasons.front();
  };
  EXPECT_THAT(reason([](const Tensor& x) { return exp(x); }),
              testing::AllOf(testing::HasSubstr("sync: first compile of "), testing::HasSubstr("sync_test.cpp:")));
  EXPECT_THAT(reason([](const Tensor& x) { return log(x); }), testing::HasSubstr("log tensor<2xf32> (" __FILE__ ":"));
  EXPECT_THAT(reason([](const Tensor& x) { return exp(x[0]); }), testing::StartsWith("slice tensor<1xf32> ("));
  EXPECT_THAT(reason([](const Tensor& x) { return exp(x[1]); }),
              testing::StartsWith("another constant or attribute of slice tensor<1xf32> ("));
  Tensor kept;
  EXPECT_THAT(reason([&](const Tensor& x) { return kept = exp(x[1]); }),
              testing::StartsWith("2 results are held instead of 1 ("));
  logging::set_channels("");
  logging::set_sink({});
}

TEST(Sync, SaysWhyAProgramIsNotInMemoryAnyMore) {
  std::string all;
  logging::set_sink([&](logging::Channel, std::string_view message) { all += concat(message, '\n'); });
  logging::set_channels("cache");
  const auto said = [&](Tensor (*step)(const Operand&)) {
    const Tensor x = tensor({1.f, 2.f}), y = step(x);
    all.clear();
    sync();
    return all;
  };
  clear_graph_cache();
  const auto missed = testing::HasSubstr("missed the program of ");
  {
    const knobs::Override<knobs::Integer> one(knobs::graph_cache_entries, 1);
    EXPECT_THAT(said(exp), testing::Not(missed));
    EXPECT_THAT(said(log), testing::Not(missed)) << "exp leaves";
    EXPECT_THAT(said(exp), testing::AllOf(missed, testing::HasSubstr("WEFT_GRAPH_CACHE_ENTRIES")));
  }
  {
    const knobs::Override<knobs::Switch> strict(knobs::strict, !knobs::strict());
    EXPECT_THAT(said(exp), testing::AllOf(missed, testing::HasSubstr("was compiled with WEFT_STRICT=")));
    EXPECT_THAT(said(exp), testing::Not(missed)) << "known now";
  }
  logging::set_channels("");
  logging::set_sink({});
}

TEST(Sync, NeverWaitsForTheDevice) {
  runtime::DeviceOptions options;
  options.run_ahead_launches = 1000;
  runtime::SimulatedDevice simulated({.launch_us = 1000, .host_us = 1}, options);
  runtime::Device& before = device();
  set_device(simulated);
  {
    Tensor x = tensor({1.f, 2.f});
    for (int step = 0; step < 20; ++step) {
      x = x - x * 0.1;
      sync();
    }
    EXPECT_EQ(simulated.stats().host_waits, 0u);
    simulated.synchronize();
  }
  set_device(before);
}

}  // namespace
}  // namespace weft
