// Products of a GPU, computed by a false cuBLASLt in host memory.
#include <weft/compiler/library/cuda/gpu_product.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <tests/compiler/library/cuda/false_cublaslt.h>
#include <tests/compiler/library/cuda/gpu_product_memory.h>
#include <tests/compiler/library/cuda/gpu_products.h>
#include <tests/runtime/cuda/false_driver.h>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weft/base/knobs.h>
#include <weft/base/temporary_folder.h>
#include <weft/compiler/library/cuda/cublaslt.h>
#include <weft/ir/builder.h>

namespace weft {
namespace {

namespace cublaslt = compiler::cublaslt;
using test::PlannedProduct;
using test::ProductCase;

class HostMemory final : public test::ProductMemory {
 public:
  std::byte* allocate(std::size_t bytes) override {
    constexpr std::size_t alignment = 256;
    blocks_.emplace_back(
        static_cast<std::byte*>(std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)),
        &std::free);
    return blocks_.back().get();
  }
  void fill(std::byte* to, std::uint8_t value, std::size_t bytes) override { std::memset(to, value, bytes); }
  void write(std::byte* to, std::span<const std::byte> from) override { std::ranges::copy(from, to); }
  void read(std::span<std::byte> to, const std::byte* from) override { std::copy_n(from, to.size(), to.begin()); }
  runtime::cuda::WorkQueue queue() const override { return {}; }

 private:
  std::vector<std::unique_ptr<std::byte, decltype(&std::free)>> blocks_;
};

class GpuProducts : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::use_false_cublaslt() || !runtime::cuda::use_false_driver())
      GTEST_SKIP() << "these tests look into the false cuBLASLt (WEFT_TEST_GPU is 1)";
    current_.emplace(0);
  }

  static ir::Array run(const ProductCase& product, std::span<const ir::Array> inputs, bool strict = false) {
    HostMemory memory;
    const test::ProductRun run(test::planned(product), inputs, product.misaligned, memory, {.strict = strict});
    run.run();
    return run.result();
  }

  static ProductCase plain(std::int64_t m, std::int64_t k, std::int64_t n, DType dtype = DType::f32) {
    return {{{m, k}}, {{k, n}}, {}, {}, {1}, {0}, dtype, dtype};
  }

  const test::FalseCublasLt& false_library = test::false_cublaslt();

 private:
  std::optional<runtime::cuda::Current> current_;
};

TEST_F(GpuProducts, AreThoseOfTheInterpreter) {
  int compared = 0;
  for (const ProductCase& product : test::product_cases()) {
    SCOPED_TRACE(product.text());
    const PlannedProduct plan = test::planned(product);
    if (!test::is_whole(plan)) continue;
    ++compared;
    const auto inputs = test::random_inputs(product, compared);
    EXPECT_LE(test::worst_difference(product, inputs, run(product, inputs)), 1);
    EXPECT_LE(test::worst_difference(product, inputs, run(product, inputs, true)), 1);
  }
  EXPECT_GT(compared, 200);
}

TEST_F(GpuProducts, OfRandomShapesAreThoseOfTheInterpreter) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const ProductCase product = test::random_product(seed);
    SCOPED_TRACE(concat("seed ", seed, ": ", product.text()));
    PlannedProduct plan;
    try {
      plan = test::planned(product);
    } catch (const Error&) {
      continue;  // the operands lie in an order that no library reads: the planner copies them first
    }
    if (!test::is_whole(plan)) continue;
    ++compared;
    const auto inputs = test::random_inputs(product, seed);
    EXPECT_LE(test::worst_difference(product, inputs, run(product, inputs)), 1);
    if (HasFailure()) break;
  }
  EXPECT_GT(compared, 300);
}

TEST_F(GpuProducts, TakeTheStepsThatTheLibraryComputes) {
  const std::map<std::string, std::size_t> of_bf16 = {{"b", 1},  {"r", 1},  {"br", 2},  {"rb", 2}, {"g", 1},
                                                      {"bg", 2}, {"rg", 2}, {"rbg", 3}, {"gb", 1}, {"bgr", 2},
                                                      {"be", 1}, {"bb", 1}, {"rr", 1}};
  for (const auto& [steps, taken] : of_bf16) {
    ProductCase product = plain(24, 40, 56, DType::bf16);
    product.steps = steps;
    EXPECT_EQ(test::planned(product).matmul.epilogue.steps.size(), taken) << product.text();
  }
  // GELU in f32 would lose bits; a double has no bias; a bias must have the type of the result.
  ProductCase product = plain(24, 40, 56);
  product.steps = "bg";
  EXPECT_EQ(test::planned(product).matmul.epilogue.steps.size(), 1);
  product = plain(24, 40, 56, DType::f64);
  product.steps = "b";
  EXPECT_EQ(test::planned(product).matmul.epilogue.steps.size(), 0);
  product = plain(24, 40, 56, DType::bf16);
  product.result = DType::f32;
  product.steps = "bc";
  EXPECT_FALSE(test::is_whole(test::planned(product)));
  product.steps = "cb";
  EXPECT_TRUE(test::is_whole(test::planned(product)));
  // No product of f32 is stored as bf16.
  product = plain(24, 40, 56);
  product.steps = "c";
  EXPECT_FALSE(test::is_whole(test::planned(product)));
}

TEST_F(GpuProducts, AreOneCallWhereTheBatchIsOneDimension) {
  const auto calls = [&](const ProductCase& product) {
    const int before = false_library.products;
    run(product, test::random_inputs(product, 1));
    return false_library.products - before;
  };
  EXPECT_EQ(calls(plain(8, 8, 8)), 1);
  const test::OperandView four{{3, 4, 16, 8}};
  EXPECT_EQ(calls({four, {{3, 4, 8, 5}}, {0, 1}, {0, 1}, {3}, {2}}), 1);
  // Heads inside of rows: the library walks the longer one of batch and heads.
  EXPECT_EQ(calls({{{3, 16, 4, 8}}, {{3, 16, 4, 8}}, {0, 2}, {0, 2}, {3}, {3}}), 3);
  EXPECT_EQ(calls({{{7, 16, 4, 8}}, {{7, 16, 4, 8}}, {0, 2}, {0, 2}, {3}, {3}}), 4);
}

TEST_F(GpuProducts, MayOverwriteTheResidual) {
  ProductCase product = plain(24, 40, 56, DType::bf16);
  for (const char* steps : {"r", "br", "rbg"}) {
    product.steps = steps;
    const auto inputs = test::random_inputs(product, 1);
    HostMemory memory;
    const test::ProductRun run(test::planned(product), inputs, 0, memory, {}, {}, true);
    run.run();
    EXPECT_LE(test::worst_difference(product, inputs, run.result()), 1) << product.text();
  }
}

TEST_F(GpuProducts, DoNotOverwriteWhatTheyMultiply) {
  const Type square(DType::f32, {24, 24});
  const auto graph = ir::make_graph(std::vector{square, square}, [](ir::Graph&, auto in) {
    const std::int64_t last[] = {1}, first[] = {0};
    return std::vector{ir::dot_general(in[0], in[1], {{}, {}, last, first}) + in[0]};
  });
  ir::Node* const sum = graph->outputs()[0].node;
  const auto view = [](ir::Value v) { return compiler::view_of(v, [](ir::Value) { return true; }); };
  const ir::Node* const dot = sum->operand(0).node;
  compiler::Matmul matmul{dot, view(graph->inputs()[0]), view(graph->inputs()[1]), {}, {}};
  matmul.epilogue = {{{compiler::EpilogueStep::Kind::residual, view(graph->inputs()[0])}}, sum->result()};
  EXPECT_TRUE(compiler::gpu_product_unit(matmul, {}, {}).in_place.empty());
  matmul.lhs = matmul.rhs;
  EXPECT_EQ(compiler::gpu_product_unit(matmul, {}, {}).in_place, (std::vector<std::pair<int, int>>{{0, 2}}));
}

TEST_F(GpuProducts, OfLargeBatchesAreDivided) {
  const ProductCase product{{{65536, 1, 2}}, {{65536, 2, 3}}, {0}, {0}, {2}, {1}};
  const auto inputs = test::random_inputs(product, 1);
  EXPECT_LE(test::worst_difference(product, inputs, run(product, inputs)), 1);
}

TEST_F(GpuProducts, PromiseTheAlignmentThatTheOperandsHave) {
  // No other test has products of these sizes, for which algorithms are chosen once.
  ProductCase product = plain(25, 41, 57, DType::bf16);
  run(product, test::random_inputs(product, 1));
  EXPECT_EQ(false_library.alignment_a, 256u);
  EXPECT_EQ(false_library.alignment_d, 256u);
  product.misaligned = 4;
  run(product, test::random_inputs(product, 1));
  EXPECT_EQ(false_library.alignment_a, 8u);
  // A part that begins at [1, 5] of rows of 61 elements of 2 bytes.
  product = plain(25, 40, 55, DType::bf16);
  product.rhs = {{48, 61}, {}, {1, 5}, {41, 60}};
  run(product, test::random_inputs(product, 1));
  EXPECT_EQ(false_library.alignment_a, 4u);
  EXPECT_EQ(false_library.alignment_b, 256u);
}

TEST_F(GpuProducts, DivideNoSumInStrictMode) {
  const ProductCase product = plain(9, 1000, 9);
  const auto inputs = test::random_inputs(product, 1);
  run(product, inputs);
  EXPECT_EQ(false_library.schemes, 2u) << "partial sums are added in f32";
  run(product, inputs, true);
  EXPECT_EQ(false_library.schemes, 0u);
}

TEST_F(GpuProducts, AreChosenOnce) {
  ProductCase product = plain(11, 13, 17);
  product.steps = "b";
  const auto inputs = test::random_inputs(product, 1);
  const int before = false_library.choices;
  HostMemory memory;
  const PlannedProduct plan = test::planned(product);
  const test::ProductRun one(plan, inputs, 0, memory), other(plan, inputs, 0, memory);
  for (int i = 0; i < 3; ++i) {
    one.run();
    other.run();
  }
  EXPECT_EQ(false_library.choices - before, 1);
}

TEST_F(GpuProducts, RunOnSeveralThreads) {
  ProductCase product = plain(24, 40, 56);
  product.steps = "b";
  std::vector<std::thread> threads;
  const int objects = false_library.objects;
  std::atomic<int> wrong = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    threads.emplace_back([&, seed] {
      const runtime::cuda::Current current(0);
      const auto inputs = test::random_inputs(product, seed);
      for (int i = 0; i < 50; ++i)
        if (test::worst_difference(product, inputs, run(product, inputs)) > 1) ++wrong;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(false_library.objects - objects, 4) << "descriptions that were made for one run stay";
}

TEST_F(GpuProducts, OfUnknownSizesAreMadeForEachSize) {
  const Dim rows = size_symbol(0), terms = size_symbol(1);
  for (const char* steps : {"", "b", "r"}) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      ProductCase product{{{3, rows, 4, terms}}, {{3, 20, 4, terms}}, {0, 2}, {0, 2}, {3}, {3}, dtype, dtype, steps};
      const PlannedProduct plan = test::planned(product, SizeValues({16, 8}));
      ASSERT_TRUE(test::is_whole(plan));
      for (const std::int64_t m : {1, 2, 17})
        for (const std::int64_t k : {2, 8, 33}) {
          ProductCase now = product;
          now.lhs.dims = {3, m, 4, k};
          now.rhs.dims = {3, 20, 4, k};
          const auto inputs = test::random_inputs(now, m);
          HostMemory memory;
          const test::ProductRun run(plan, inputs, 0, memory, {}, SizeValues({m, k}));
          run.run();
          EXPECT_LE(test::worst_difference(now, inputs, run.result()), 1) << now.text();
        }
    }
  }
}

TEST_F(GpuProducts, WithoutElementsNeedNoLibrary) {
  const PlannedProduct plan = test::planned({{{size_symbol(0), 8}}, {{8, 5}}, {}, {}, {1}, {0}}, SizeValues({4}));
  const ProductCase now{{{0, 8}}, {{8, 5}}, {}, {}, {1}, {0}};
  HostMemory memory;
  const int before = false_library.products;
  test::ProductRun(plan, test::random_inputs(now, 1), 0, memory, {}, SizeValues({0})).run();
  EXPECT_EQ(false_library.products, before);
}

TEST_F(GpuProducts, AreComputedWhenTheirStreamComesToThem) {
  const test::GpuStream stream(0);
  for (const char* steps : {"", "b", "rbg"}) {
    ProductCase product{{{3, 16, 4, 8}}, {{3, 20, 4, 8}}, {0, 2}, {0, 2}, {3}, {3}, DType::bf16, DType::bf16, steps};
    const auto inputs = test::random_inputs(product, 1);
    test::GpuProductMemory memory(stream);
    const test::ProductRun run(test::planned(product), inputs, 0, memory);
    run.run();
    EXPECT_LE(test::worst_difference(product, inputs, run.result()), 1) << product.text();
  }
}

TEST_F(GpuProducts, WithoutTermsAreZero) {
  const test::GpuStream stream(0);
  const PlannedProduct plan =
      test::planned({{{7, size_symbol(0)}}, {{size_symbol(0), 5}}, {}, {}, {1}, {0}}, SizeValues({4}));
  const ProductCase now{{{7, 0}}, {{0, 5}}, {}, {}, {1}, {0}};
  test::GpuProductMemory memory(stream);
  const test::ProductRun run(plan, test::random_inputs(now, 1), 0, memory, {}, SizeValues({0}));
  run.run();
  const ir::Array result = run.result();
  for (std::int64_t i = 0; i < result.size(); ++i) EXPECT_EQ(result.element(i), 0);
}

TEST(CublasLt, TellsWhyItIsMissing) {
  const std::vector<std::filesystem::path> files{"/nowhere/libcublasLt.so.13", "libm.so.6"};
  const auto library = cublaslt::load(files);
  ASSERT_FALSE(library);
  EXPECT_NE(library.reason().find("/nowhere/libcublasLt.so.13"), std::string::npos) << library.reason();
  EXPECT_NE(library.reason().find("has no function cublasLt"), std::string::npos) << library.reason();
}

TEST(CublasLt, IsLookedForInTheChosenFolderFirst) {
  const knobs::Override folder(knobs::cuda_libraries, "/chosen");
  EXPECT_EQ(cublaslt::places()[0], "/chosen/libcublasLt.so.13");
  EXPECT_EQ(cublaslt::places()[2], "libcublasLt.so.13") << "then where the loader looks";
}

TEST(CublasLt, IsLookedForInPackagesOfTheVirtualEnvironment) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "lib" / "python3.11");
  const char* const before = std::getenv("VIRTUAL_ENV");
  const std::string kept = before ? before : "";
  ::setenv("VIRTUAL_ENV", folder.path().c_str(), 1);
  const auto places = cublaslt::places();
  if (before) {
    ::setenv("VIRTUAL_ENV", kept.c_str(), 1);
  } else {
    ::unsetenv("VIRTUAL_ENV");
  }
  const auto file = folder / "lib/python3.11/site-packages/nvidia/cu13/lib/libcublasLt.so.13";
  EXPECT_EQ(std::ranges::count(places, file), 1);
}

}  // namespace
}  // namespace weft
