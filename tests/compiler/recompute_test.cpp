// Values computed again instead of kept: fewer bytes, the same bits; what is predicted is what is used.
#include <weft/compiler/recompute.h>

#include <gtest/gtest.h>

#include <weft/compiler/compiler.h>
#include <weft/ir/autodiff.h>
#include <weft/ir/builder.h>
#include <weft/ir/composites.h>

#include "run.h"

namespace weft::compiler {
namespace {

// The gradient by its weights of a chain of layers, each of which keeps several values for it.
std::shared_ptr<const ir::Graph> chain(int layers, std::int64_t rows) {
  const Type x_type(DType::f32, {Dim(rows), Dim(32)}), w_type(DType::f32, {Dim(32), Dim(32)});
  std::vector<Type> types{x_type};
  for (int i = 0; i < layers; ++i) types.push_back(w_type);
  static constexpr std::int64_t one[] = {1}, zero[] = {0}, both[] = {0, 1};
  return ir::make_graph(types, [&](ir::Graph& graph, std::span<const ir::Value> in) {
    ir::Value h = in[0];
    for (int i = 1; i <= layers; ++i) {
      const ir::Value y = ir::dot_general(h, in[static_cast<std::size_t>(i)], {{}, {}, ir::Ints(one), ir::Ints(zero)});
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
  EXPECT_LT(less.peak_bytes, 0.7 * static_cast<double>(all.peak_bytes));

  // What the device takes is what the plan says: the temporaries, and the outputs.
  runtime::Device device;
  std::vector<runtime::BufferPtr> buffers;
  for (const ir::Array& input : inputs) buffers.push_back(device.upload(input.type(), input.bytes()));
  device.synchronize();
  for (const auto& output : device.launch(executable, buffers)) output->wait();
  EXPECT_NEAR(static_cast<double>(device.stats().peak_bytes_in_use), static_cast<double>(less.peak_bytes),
              0.05 * static_cast<double>(less.peak_bytes));
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
