// Products of a GPU whose algorithm is chosen by measurement, with a false cuBLASLt and false times.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tests/compiler/library/cuda/false_cublaslt.h>
#include <tests/compiler/library/cuda/gpu_product_memory.h>
#include <tests/compiler/library/cuda/gpu_products.h>
#include <tests/runtime/cuda/false_driver.h>
#include <vector>

#include <gtest/gtest.h>

#include <weft/base/log.h>
#include <weft/compiler/cache/disk_cache.h>
#include <weft/compiler/cache/temporary_cache.h>
#include <weft/compiler/compiler.h>
#include <weft/compiler/library/cuda/product_plan.h>
#include <weft/compiler/tuning/stored_algorithms.h>
#include <weft/compiler/tuning/trials.h>
#include <weft/ir/builder.h>
#include <weft/runtime/cuda/cuda_device.h>

namespace weft {
namespace {

using compiler::GpuAlignments;
using compiler::GpuProduct;
using compiler::GpuProductPlan;
using test::ProductCase;

class MeasuredProducts : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::use_false_cublaslt() || !runtime::cuda::use_false_driver())
      GTEST_SKIP() << "these tests look into the false cuBLASLt (WEFT_TEST_GPU is 1)";
    stream_.emplace(0);
    cache_.emplace();
    compiler::forget_choices();
  }
  void TearDown() override {
    runtime::cuda::false_driver().reset();
    test::FalseCublasLt& library = test::false_cublaslt();
    library.proposals = 1;
    library.refused_by_check = library.refused_by_run = 0;
    for (auto& seconds : library.seconds) seconds = 0;
    compiler::forget_choices();
  }

  // The proposals of the library from now on, by the seconds that they seem to take.
  void propose(const std::vector<int>& seconds) {
    library.proposals = static_cast<int>(seconds.size());
    std::ranges::copy(seconds, library.seconds);
  }

  // Returns the number of the proposal that a new plan takes.
  int chosen(const GpuProduct& product, compiler::AlgorithmChoices& choices = compiler::stored_algorithms()) {
    const GpuAlignments alignments{.a = 256, .b = 16, .residual = 256, .bias = 256, .result = 256};
    const GpuProductPlan plan(product, alignments, stream_->queue(), &choices);
    const test::GpuStream& stream = *stream_;
    test::GpuProductMemory memory(stream);
    constexpr std::size_t enough = 4096;
    const compiler::GpuAddresses addresses{.a = memory.allocate(enough),
                                           .b = memory.allocate(enough),
                                           .residual = memory.allocate(enough),
                                           .bias = memory.allocate(enough),
                                           .result = memory.allocate(enough)};
    plan.run(addresses, memory.allocate(GpuProductPlan::workspace_bytes), stream.queue().stream);
    stream.wait();
    return library.last_proposal;
  }

  static GpuProduct small(bool measured = true) {
    GpuProduct product;
    product.a = {false, 8, 4, 8};
    product.b = {true, 6, 4, 6};
    product.d = {false, 8, 6, 8};
    product.measured = measured;
    return product;
  }

  int runs_of(const std::function<void()>& action) const {
    const int before = library.products;
    action();
    return library.products - before;
  }

  test::FalseCublasLt& library = test::false_cublaslt();
  const compiler::TemporaryCache& cache() const { return *cache_; }
  const test::GpuStream& stream() const { return *stream_; }

 private:
  std::optional<test::GpuStream> stream_;
  std::optional<compiler::TemporaryCache> cache_;
};

constexpr int one_run = 1;

TEST_F(MeasuredProducts, TakeTheFastestAlgorithm) {
  propose({1000, 1200, 700, 800});
  EXPECT_EQ(chosen(small()), 3);
}

TEST_F(MeasuredProducts, TakeTheFirstAlgorithmOfSeveralThatAreAsFast) {
  propose({1000, 1000, 1000});
  EXPECT_EQ(chosen(small()), 1);
}

TEST_F(MeasuredProducts, KeepTheFirstAlgorithmUnlessAnotherIsClearlyFaster) {
  propose({1000, 990, 1100});
  EXPECT_EQ(chosen(small()), 1);
  compiler::forget_choices();
  cache().empty();
  propose({1000, 970, 1100});
  EXPECT_EQ(chosen(small()), 2);
}

TEST_F(MeasuredProducts, OfAllKindsRunInTheTrial) {
  propose({1000, 700});
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16, DType::f64})
    for (const bool adds : {false, true}) {
      GpuProduct product = small();
      product.operands = product.result = dtype;
      product.adds_residual = adds;
      product.adds_bias = adds && dtype != DType::f64;
      product.batch = 3;
      product.a.batch_stride = 0;  // the same matrix for all
      product.b.batch_stride = 24;
      product.d.batch_stride = 48;
      EXPECT_EQ(chosen(product), 2) << text_of(product);
    }
}

TEST_F(MeasuredProducts, FindTheChoiceOfAnEarlierProcess) {
  propose({1000, 700});
  EXPECT_EQ(chosen(small()), 2);
  compiler::forget_choices();  // as in another process
  propose({1000, 1100});
  EXPECT_EQ(runs_of([&] { EXPECT_EQ(chosen(small()), 2) << "not measured again"; }), one_run);
  const auto folder = compiler::DiskCache::from_knobs();
  ASSERT_EQ(folder->files().size(), 1u);
  const auto contents = folder->contents(folder->files()[0].name);
  ASSERT_TRUE(contents.kernels) << contents.kernels.reason();
  const std::string& text = contents.kernels->front().object;
  EXPECT_TRUE(text.starts_with("proposal 2, ")) << text;
  EXPECT_NE(text.find("proposal 1 1"), std::string::npos) << text;
}

TEST_F(MeasuredProducts, HaveAChoiceForEachProductAndAlignment) {
  propose({1000, 700});
  chosen(small());
  GpuProduct other = small();
  other.a.leading = 16;
  EXPECT_GT(runs_of([&] { chosen(other); }), one_run);
  const GpuProductPlan plan(small(), {.a = 16, .b = 16, .result = 16}, stream().queue(),
                            &compiler::stored_algorithms());
  EXPECT_EQ(compiler::DiskCache::from_knobs()->files().size(), 3u);
}

TEST_F(MeasuredProducts, AreMeasuredAgainIfTheLibraryRefusesTheStoredChoice) {
  propose({1000, 700, 800});
  EXPECT_EQ(chosen(small()), 2);
  compiler::forget_choices();
  library.refused_by_check = 2;
  propose({1000, 1100, 800});
  EXPECT_EQ(chosen(small()), 3);
  compiler::forget_choices();
  EXPECT_EQ(runs_of([&] { EXPECT_EQ(chosen(small()), 3) << "the new choice is stored in place of the old one"; }),
            one_run);
}

TEST_F(MeasuredProducts, AreMeasuredAgainIfTheStoredTextIsNoAlgorithm) {
  propose({1000, 700});
  chosen(small());
  compiler::forget_choices();
  const auto folder = compiler::DiskCache::from_knobs();
  const std::string name = folder->files()[0].name;
  auto kernels = *folder->contents(name).kernels;
  kernels[0].object = "proposal 2, 0123: proposal 1 2 ms";
  ASSERT_TRUE(folder->write(name, kernels));
  EXPECT_GT(runs_of([&] { EXPECT_EQ(chosen(small()), 2); }), one_run);
}

TEST_F(MeasuredProducts, AreMeasuredInEachProcessWithoutTheCache) {
  const knobs::Override<knobs::Switch> off(knobs::cache, false);
  propose({1000, 700});
  EXPECT_EQ(chosen(small()), 2);
  EXPECT_EQ(runs_of([&] { EXPECT_EQ(chosen(small()), 2) << "this process remembers it"; }), one_run);
  compiler::forget_choices();
  propose({1000, 1100});
  EXPECT_EQ(chosen(small()), 1);
}

TEST_F(MeasuredProducts, TakeTheChoiceOfAProcessThatWasFaster) {
  // Another process stores its choice while this one measures.
  class Late final : public compiler::AlgorithmChoices {
   public:
    std::optional<Choice> find(const std::string&) override { return std::nullopt; }
    Choice keep(const std::string& key, const Choice& choice, std::chrono::nanoseconds measured_in,
                const std::function<bool(const Choice&)>& accepts) override {
      auto other = compiler::parse_algorithm(choice.algorithm);
      other->place = 1;
      other->algorithm.data[0] -= 1;  // the first proposal
      const compiler::StoredKernel stored{key, concat(text_of(*other), ": of another process")};
      EXPECT_TRUE(compiler::DiskCache::from_knobs()->write(compiler::choice_name(key), std::span(&stored, 1)));
      return compiler::stored_algorithms().keep(key, choice, measured_in, accepts);
    }
  } late;
  propose({1000, 700});
  EXPECT_EQ(chosen(small(), late), 1);
  EXPECT_EQ(chosen(small()), 1);
  compiler::forget_choices();
  EXPECT_EQ(chosen(small()), 1);
}

TEST_F(MeasuredProducts, PassOverAlgorithmsThatCannotRun) {
  propose({1000, 500, 700});
  library.refused_by_run = 2;
  EXPECT_EQ(chosen(small()), 3);
}

TEST_F(MeasuredProducts, KeepTheFirstAlgorithmIfThereIsNoMemoryForATrial) {
  propose({1000, 700});
  const auto before = runtime::cuda::false_driver().live();
  runtime::cuda::false_driver().fail("cuMemAlloc", runtime::cuda::out_of_memory, 2);
  EXPECT_EQ(chosen(small()), 1);
  compiler::forget_choices();
  EXPECT_EQ(chosen(small()), 1) << "later runs have the same bits";
  EXPECT_EQ(runtime::cuda::false_driver().live().bytes, before.bytes);
}

TEST_F(MeasuredProducts, GiveBackWhatATrialTook) {
  propose({1000, 700});
  const auto before = runtime::cuda::false_driver().live();
  const int objects = library.objects;
  chosen(small());
  const auto after = runtime::cuda::false_driver().live();
  EXPECT_EQ(after.bytes, before.bytes);
  EXPECT_EQ(after.events, before.events);
  EXPECT_EQ(library.objects, objects);
}

TEST_F(MeasuredProducts, TellTheirTimesInTheLog) {
  std::vector<std::string> messages;
  logging::set_channels("autotuning");
  logging::set_sink([&](logging::Channel, std::string_view text) { messages.emplace_back(text); });
  propose({1000, 700});
  chosen(small());
  chosen(small());
  logging::set_sink({});
  logging::set_channels("");
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_TRUE(messages[0].find("False GPU: f32 [6, 4, 8] with a result of f32: proposal 2 (proposal 1 1") !=
              std::string::npos)
      << messages[0];
  EXPECT_EQ(messages[0].find("known"), std::string::npos);
  EXPECT_NE(messages[1].find(", known)"), std::string::npos) << messages[1];
}

TEST_F(MeasuredProducts, AreOnlyThoseOfProgramsThatAreTuned) {
  propose({1000, 700});
  EXPECT_EQ(runs_of([&] { EXPECT_EQ(chosen(small(false)), 1); }), one_run);
  ProductCase product{{{10, 14}}, {{14, 22}}, {}, {}, {1}, {0}, DType::f32, DType::f32};
  const auto inputs = test::random_inputs(product, 1);
  const auto runs = [&](const compiler::GpuProductOptions& options) {
    test::GpuProductMemory memory(stream());
    const test::ProductRun run(test::planned(product), inputs, 0, memory, options);
    const int count = runs_of([&] { run.run(); });
    EXPECT_LE(test::worst_difference(product, inputs, run.result()), 1);
    return count;
  };
  EXPECT_EQ(runs({}), one_run);
  EXPECT_EQ(runs({.strict = true}), one_run);
  EXPECT_EQ(library.last_proposal, 1);
  EXPECT_GT(runs({.choices = &compiler::stored_algorithms()}), one_run);
  EXPECT_EQ(library.last_proposal, 2);
  EXPECT_EQ(runs({.choices = &compiler::stored_algorithms()}), one_run) << "equal products share the plan";
}

TEST_F(MeasuredProducts, AreThoseOfCompiledProgramsWithTheTuningOfAll) {
  propose({1000, 700});
  const std::vector<Type> types{Type(DType::f32, {11, 15}), Type(DType::f32, {15, 23})};
  const auto graph = ir::make_graph(types, [](ir::Graph&, std::span<const ir::Value> in) {
    const std::int64_t last[] = {1}, first[] = {0};
    return std::vector{ir::dot_general(in[0], in[1], {{}, {}, last, first})};
  });
  runtime::CudaDevice device;
  const auto runs = [&](compiler::Options options) {
    options.target = &compiler::Target::named("sm_90");
    const auto executable = compiler::compile(*graph, options);
    std::vector<runtime::BufferPtr> inputs;
    for (const Type type : types) inputs.push_back(device.upload(type, ir::Array(type).bytes()));
    return runs_of([&] {
      const auto outputs = device.launch(executable, inputs);
      device.synchronize();
    });
  };
  EXPECT_EQ(runs({}), one_run);
  EXPECT_EQ(runs({.tuning = compiler::Tuning::padding}), one_run);
  EXPECT_EQ(runs({.strict = true, .tuning = compiler::Tuning::all}), one_run);
  EXPECT_EQ(library.last_proposal, 1);
  EXPECT_GT(runs({.tuning = compiler::Tuning::all}), one_run);
  EXPECT_EQ(library.last_proposal, 2);
  EXPECT_EQ(runs({.tuning = compiler::Tuning::all}), one_run);
}

TEST(GpuAlgorithms, AreTheSameAfterTheirText) {
  compiler::GpuAlgorithm algorithm{.workspace_bytes = 33554432, .place = 7};
  for (std::size_t i = 0; i < 8; ++i) algorithm.algorithm.data[i] = 0x0123456789abcdef * (i + 1);
  const std::string text = text_of(algorithm);
  const auto read = compiler::parse_algorithm(text);
  ASSERT_TRUE(read.has_value()) << text;
  EXPECT_TRUE(std::ranges::equal(read->algorithm.data, algorithm.algorithm.data));
  EXPECT_EQ(read->workspace_bytes, 33554432u);
  EXPECT_EQ(read->place, 7);
  for (const std::string& wrong : {std::string(), std::string("proposal 3"), text.substr(1), text + "0",
                                   text.substr(0, text.size() - 1), text.substr(0, text.size() - 1) + "g"})
    EXPECT_FALSE(compiler::parse_algorithm(wrong).has_value()) << wrong;
}

}  // namespace
}  // namespace weft
