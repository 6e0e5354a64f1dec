// Programs share the code of their kernels.
#include <weft/compiler/cache/kernel_cache.h>

#include <cstdlib>
#include <random>
#include <tests/no_more_threads.h>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <weft/base/knobs.h>
#include <weft/compiler/plan/while_kernel.h>
#include <weft/ir/builder.h>
#include <weft/ir/composites.h>
#include <weft/ir/ops.h>
#include <weft/ir/text/text.h>

#include "run.h"

namespace weft::compiler {
namespace {

// softmax(gelu(x) * 2) and optionally its sum over the rows.
std::shared_ptr<const ir::Graph> kernel_graph(std::int64_t rows, std::int64_t columns, bool with_sum = true) {
  const Type type(DType::f32, {Dim(rows), Dim(columns)});
  return ir::make_graph(std::vector{type}, [&](ir::Graph&, std::span<const ir::Value> x) {
    std::vector<ir::Value> outputs{ir::softmax(ir::gelu(x[0]) * 2.0)};
    const std::int64_t first[] = {0};
    if (with_sum) outputs.push_back(ir::reduce_sum(outputs[0], first));
    return outputs;
  });
}

int compiled_kernels(const ir::Graph& graph) {
  Report report;
  compile(graph, {}, &report);
  EXPECT_GT(report.distinct_kernels, 0);
  return report.compiled_kernels;
}

// Short rows have code of their own, for so many vectors; these are long on every machine.
TEST(KernelCache, OtherSizesNeedNoOtherCode) {
  clear_kernel_cache();
  EXPECT_GT(compiled_kernels(*kernel_graph(64, 480)), 0);
  EXPECT_EQ(compiled_kernels(*kernel_graph(64, 480)), 0);
  EXPECT_EQ(compiled_kernels(*kernel_graph(96, 800)), 0);
  EXPECT_EQ(compiled_kernels(*kernel_graph(96, 800, false)), 0) << "its kernels are a part of the previous program's";
  clear_kernel_cache();
  EXPECT_GT(compiled_kernels(*kernel_graph(64, 480)), 0);
}

TEST(KernelCache, OneThreadCompilesWhereNoOthersCanBeStarted) {
  clear_kernel_cache();
  const NoMoreThreads none;
  EXPECT_GT(compiled_kernels(*kernel_graph(64, 48)), 1);
}

TEST(KernelCache, SharedCodeComputesWhatItsOwnWould) {
  const std::pair<int, int> sizes[] = {{64, 48}, {96, 80}, {33, 17}, {1, 48}, {48, 1}, {1, 1}, {0, 8}, {8, 0}, {2, 7}};
  const auto run = [](std::pair<int, int> size) {
    const auto graph = kernel_graph(size.first, size.second);
    std::vector<ir::Array> inputs{ir::Array(graph->inputs()[0].type())};
    std::mt19937 random(1);
    for (float& x : inputs[0].data<float>()) x = std::normal_distribution<float>()(random);
    return test::run_compiled(*graph, inputs);
  };
  clear_kernel_cache();
  std::vector<std::vector<ir::Array>> shared;
  for (const auto& size : sizes) shared.push_back(run(size));
  for (std::size_t i = 0; i < shared.size(); ++i) {
    clear_kernel_cache();
    EXPECT_EQ(run(sizes[i]), shared[i]) << sizes[i].first << " x " << sizes[i].second;
  }
}

TEST(KernelCache, KeepsToItsBytes) {
  auto& cache = KernelCache::instance();
  const auto add = [&](const char* key) { cache.add({{key, std::string(1000, 'x')}}); };
  const auto keys = [&] {
    std::string all;
    for (const StoredKernel& kernel : cache.all()) all += kernel.key;
    return all;
  };
  clear_kernel_cache();
  add("a");
  const std::uint64_t one = cache.bytes();
  EXPECT_GT(one, 1000u);
  const knobs::Override<knobs::Integer> few{knobs::kernel_cache_bytes, static_cast<std::int64_t>(3 * one)};
  for (const char* key : {"b", "c", "d"}) add(key);
  EXPECT_EQ(keys(), "dcb") << "the least recently used key should have been removed";
  EXPECT_EQ(cache.bytes(), 3 * one);
  clear_kernel_cache();
  EXPECT_EQ(cache.bytes(), 0u);
  const knobs::Override<knobs::Integer> none{knobs::kernel_cache_bytes, 0};
  EXPECT_GT(compiled_kernels(*kernel_graph(64, 48)), 0);
  EXPECT_GT(compiled_kernels(*kernel_graph(64, 48)), 0) << "nothing is kept, and programs still run";
}

// Bodies of folds and whole loops are cached too, with keys that say what they compute.
TEST(KernelCache, KeepsBodiesAndLoops) {
  const auto code_of = [](const KernelSource& source, const std::string& key) {
    return KernelCache::instance().get(std::span(&source, 1), std::span(&key, 1), Target::host()).kernels[0];
  };
  const auto body = [](const ir::Op& op) {
    return ir::make_graph(std::vector(2, Type(DType::f64, {})), [&](ir::Graph& g, std::span<const ir::Value> x) {
      return std::vector{g.append(op, x).result() * 0.25};
    });
  };
  const auto code = [&](const ir::Graph& graph) { return code_of(&graph, "body " + ir::print(graph)); };
  const auto first = code(*body(ir::ops::add));
  EXPECT_EQ(code(*body(ir::ops::add)), first);
  EXPECT_NE(code(*body(ir::ops::multiply)), first);

  const Type number(DType::f32, {});
  const auto condition = [&](double limit) {
    return ir::make_graph(std::vector{number}, [&](ir::Graph& g, std::span<const ir::Value> x) {
      return std::vector{ir::compare(x[0], ir::constant(g, number, limit), ir::Direction::LT)};
    });
  };
  const auto step = ir::make_graph(std::vector{number},
                                   [](ir::Graph&, std::span<const ir::Value> x) { return std::vector{x[0] + 1.5}; });
  const auto loop = [&](double limit, bool strict) {
    Options options;
    options.strict = strict;
    const auto kernel = while_kernel(*condition(limit), *step, options);
    return code_of(&*kernel, kernel->key());
  };
  const auto of_ten = loop(10, false);
  EXPECT_EQ(loop(10, false), of_ten);
  EXPECT_NE(loop(11, false), of_ten);
  EXPECT_NE(loop(10, true), of_ten);
  float x = 0;
  auto* carried = reinterpret_cast<std::byte*>(&x);
  reinterpret_cast<WhileFunction>(of_ten)(&carried);
  EXPECT_EQ(x, 10.5f);
}

// Launches that nobody waits for may run while the process exits, after LLVM has closed the libraries that it opened.
TEST(KernelCacheDeathTest, WhatKernelsCallOutlivesLlvm) {
  constexpr const char* library = "libmvec.so.1";
  void* const there = dlopen(library, RTLD_NOW);
  if (!there) GTEST_SKIP() << library << " is missing: kernels call no vector functions";
  dlclose(there);
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the new process has no kernel yet
  const auto exit_with_kernels = [] {
    std::atexit([] { _exit(dlopen(library, RTLD_NOW | RTLD_NOLOAD) ? 0 : 1); });
    const Type type(DType::f32, {Dim(8)});
    compile(*ir::make_graph(std::vector{type},
                            [](ir::Graph&, std::span<const ir::Value> x) { return std::vector{x[0] * 2.0}; }));
    std::exit(2);
  };
  EXPECT_EXIT(exit_with_kernels(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace weft::compiler
