// Recomputing values instead of keeping them uses fewer bytes and gives the same bits, and the memory used is as predicted.
#include <weft/compiler/plan/recompute.h>

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <weft/compiler/compiler.h>
#include <weft/ir/autodiff.h>
#include <weft/ir/builder.h>
#include <weft/ir/composites.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>
#include <weft/runtime/cpu/cpu_device.h>

#include "run.h"

namespace weft::compiler {
namespace {

// Returns the gradient with respect to the weights of a chain of layers, each of which keeps several values for it.
std::shared_ptr<const ir::Graph> chain(int layers, std::int64_t height) {
  const Type x_type(DType::f32, {Dim(height), Dim(32)}), w_type(DType::f32, {Dim(32), Dim(32)});
  std::vector<Type> types{x_type};
  for (int i = 0; i < layers; ++i) types.push_back(w_type);
  static constexpr std::int64_t one[] = {1}, zero[] = {0}, both[] = {0, 1};
  return ir::make_graph(types, [&](ir::Graph& graph, std::span<const ir::Value> in) {
    ir::Value h = in[0];
    for (int i = 1; i <= layers; ++i) {
      const ir::Value y = ir::dot_general(h, in[i], {{}, {}, ir::Ints(one), ir::Ints(zero)});
      h = h + ir::tanh(y) * ir::gelu(y);
    }
    const ir::Value loss = ir::reduce_sum(h * h, both);
    return ir::gradient(graph, std::vector{loss}, std::vector{ir::constant_like(loss, 1)}, in.subspan(1));
  });
}

TEST(Recompute, FewerBytesSameBitsAndAsPredicted) {
  const auto graph = chain(12, 2048);
  std::vector<ir::Array> inputs;
  for (const ir::Value v : graph->inputs()) {
    inputs.emplace_back(v.type());
    float x = 0.1F;
    for (float& element : inputs.back().data<float>()) element = x = x > 0.4F ? -0.37F : x + 0.013F;
  }
  Options options;
  options.strict = true;
  Report all, less;
  const auto want = test::run_compiled(*graph, inputs, options, &all);
  EXPECT_EQ(all.recomputed, 0);
  options.activation_bytes = std::uint64_t{2} << 20;
  const auto executable = compile(*graph, options, &less);
  EXPECT_EQ(test::run(executable, inputs), want);
  EXPECT_GT(less.recomputed, 0);
  EXPECT_LT(less.peak_bytes, 0.7 * all.peak_bytes);

  // The device must use exactly what the plan says: the temporaries and the outputs.
  runtime::CpuDevice device;
  std::vector<runtime::BufferPtr> buffers;
  for (const ir::Array& input : inputs) buffers.push_back(device.upload(input.type(), input.bytes()));
  device.synchronize();
  for (const auto& output : device.launch(executable, buffers)) output->wait();
  EXPECT_NEAR(static_cast<double>(device.stats().peak_bytes_in_use), static_cast<double>(less.peak_bytes),
              0.05 * less.peak_bytes);
}

constexpr std::int64_t rows = 1024, width = 32;

// Returns the gradient with respect to the weights of a chain of layers with two products each, which may absorb the nodes behind them.
std::shared_ptr<const ir::Graph> perceptron(int layers, ir::Value (*activation)(ir::Value)) {
  static constexpr std::int64_t one[] = {1}, zero[] = {0}, both[] = {0, 1};
  std::vector<Type> types{Type(DType::f32, {rows, width})};
  for (int i = 0; i < layers; ++i)
    for (const auto& [in, out] : {std::pair{width, 4 * width}, std::pair{4 * width, width}})
      types.insert(types.end(), {Type(DType::f32, {in, out}), Type(DType::f32, {out})});
  return ir::make_graph(types, [&](ir::Graph& graph, std::span<const ir::Value> in) {
    const auto linear = [&](ir::Value x, std::size_t weight) {
      const ir::Value y = ir::dot_general(x, in[weight], {{}, {}, ir::Ints(one), ir::Ints(zero)});
      return y + ir::broadcast_in_dim(in[weight + 1], y.type(), one);
    };
    ir::Value h = in[0];
    for (std::size_t i = 1; i < in.size(); i += 4) h = h + linear(activation(linear(h, i)), i + 2);
    const ir::Value loss = ir::reduce_sum(h * h, both);
    return ir::gradient(graph, std::vector{loss}, std::vector{ir::constant_like(loss, 1)}, in.subspan(1));
  });
}

ir::Value relu(ir::Value x) { return ir::maximum(x, ir::constant_like(x, 0)); }

// Products with epilogues are recomputed as a whole, and only in the backward pass. The same holds for values that are computed early
// although their nodes come late in the graph.
TEST(Recompute, WhatWaitsIsWithinTheBudgetInEveryMode) {
  constexpr std::uint64_t hidden = rows * 4 * width * sizeof(float), budget = 10 * hidden / 4;
  for (const auto activation : {ir::tanh, ir::gelu_tanh, relu}) {
    const auto graph = perceptron(8, activation);
    std::vector<ir::Array> inputs = test::normal_inputs(*graph);
    for (std::size_t i = 1; i < inputs.size(); ++i)
      for (float& x : inputs[i].data<float>()) x *= 0.1F;
    const auto want = ir::interpret(*graph, inputs);
    for (const bool strict : {false, true}) {
      Options options;
      options.strict = strict;
      Report all, less;
      compile(*graph, options, &all);
      options.activation_bytes = budget;
      const auto got = test::run_compiled(*graph, inputs, options, &less);
      EXPECT_GT(less.recomputed, 0);
      EXPECT_GT(all.peak_bytes, budget + 5 * hidden);
      std::uint64_t results = 0;
      for (const ir::Array& result : got) results += static_cast<std::uint64_t>(result.type().bytes());
      // In addition, one layer at a time has its working memory; in strict mode it includes a copy of what a product reads transposed.
      EXPECT_LE(less.peak_bytes, budget + results + (strict ? 5 : 4) * hidden) << (strict ? "strict" : "");
      for (std::size_t i = 0; i < got.size(); ++i) {
        double difference = 0, largest = 0;
        for (std::size_t e = 0; e < got[i].data<float>().size(); ++e) {
          const float g = got[i].data<float>()[e], w = want[i].data<float>()[e];
          difference = std::max(difference, std::abs(static_cast<double>(g) - static_cast<double>(w)));
          largest = std::max(largest, std::abs(static_cast<double>(w)));
        }
        EXPECT_LE(difference, 1e-5 * largest) << i;
      }
    }
  }
}

// A value that a kernel recomputes for itself may be stored later for another kernel.
TEST(Recompute, WhatIsStoredLateMayBeNeededEarly) {
  static constexpr std::int64_t one[] = {1}, zero[] = {0}, both[] = {0, 1}, pair[] = {2, 2};
  const Type x_type(DType::f32, {256, 32}), w_type(DType::f32, {32, 32});
  const std::vector<Type> types{x_type, w_type, w_type, w_type, Type(DType::f32, {})};
  const auto graph = ir::make_graph(types, [&](ir::Graph& g, std::span<const ir::Value> in) {
    const auto add = ir::reduction_body(ir::ops::add, DType::f32);
    const ir::Value nothing = ir::constant(g, Type(DType::f32, {}), 0);
    const ir::Value sums = ir::reduce(std::vector{ir::exponential(in[0])}, std::vector{nothing}, one, add)[0];
    ir::Value h = in[0] / ir::broadcast_in_dim(sums, x_type, zero);
    for (int i = 1; i <= 3; ++i) {
      const ir::Value y = ir::dot_general(h, in[i], {{}, {}, ir::Ints(one), ir::Ints(zero)});
      h = h + ir::tanh(y) * ir::gelu(y);
    }
    const ir::Value loss = ir::reduce_sum(h * h, both);
    auto results = ir::gradient(g, std::vector{loss}, std::vector{ir::constant_like(loss, 1)}, in.subspan(1, 3));
    results.push_back(ir::maximum(in[4], nothing));
    results.push_back(ir::reduce_window(results[0], nothing, {pair, pair, {}, {}, {}}, add));
    return results;
  });
  const std::vector<ir::Array> inputs = test::normal_inputs(*graph);
  Options options;
  options.strict = true;
  const auto want = test::run_compiled(*graph, inputs, options);
  for (const std::uint64_t kilobytes : {100, 40, 10}) {
    options.activation_bytes = kilobytes << 10;
    Report less;
    EXPECT_EQ(test::run_compiled(*graph, inputs, options, &less), want);
    EXPECT_GT(less.recomputed, 0);
  }
}

TEST(Recompute, NothingIsDoneWithinTheBudget) {
  const auto graph = chain(3, 64);
  Options options;
  options.activation_bytes = std::uint64_t{1} << 30;
  Report report;
  compile(*graph, options, &report);
  EXPECT_EQ(report.recomputed, 0);
}

}  // namespace
}  // namespace weft::compiler
