// Measures convolutions and max pooling, forward and both gradients, in both memory layouts, in operations per second.
// bench/peers/windows_torch.py measures PyTorch on the same cases, which it reads from the names:
// LAYOUT/conv|transposed|pool/PASS/INPUT/KERNEL/STRIDE/PADDING/DILATION/GROUPS, sizes as NCHW and OIHW (for transposed: IOHW).
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <weft/compiler/compiler.h>
#include <weft/ir/autodiff.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>
#include <weft/runtime/cpu/cpu_device.h>

namespace {

using namespace weft;
using Dims = std::vector<std::int64_t>;

struct Case {
  const char* kind;
  Dims x, kernel;  // for pool: only the window
  std::int64_t stride = 1, padding = 0, dilation = 1, groups = 1;
};

const Case cases[] = {
    {"conv", {8, 3, 224, 224}, {64, 3, 7, 7}, 2, 3},           // ResNet's stem
    {"conv", {8, 64, 56, 56}, {64, 64, 3, 3}, 1, 1},           // its blocks
    {"conv", {8, 128, 28, 28}, {128, 128, 3, 3}, 1, 1},        //
    {"conv", {8, 256, 14, 14}, {256, 256, 3, 3}, 1, 1},        //
    {"conv", {8, 512, 7, 7}, {512, 512, 3, 3}, 1, 1},          //
    {"conv", {8, 256, 56, 56}, {64, 256, 1, 1}},               // bottlenecks
    {"conv", {8, 64, 56, 56}, {256, 64, 1, 1}},                //
    {"conv", {8, 128, 56, 56}, {128, 128, 3, 3}, 2, 1},        // between stages
    {"conv", {8, 256, 56, 56}, {512, 256, 1, 1}, 2},           //
    {"conv", {8, 128, 56, 56}, {128, 1, 3, 3}, 1, 1, 1, 128},  // depthwise
    {"conv", {8, 128, 56, 56}, {128, 4, 3, 3}, 1, 1, 1, 32},   // grouped
    {"conv", {8, 64, 56, 56}, {64, 64, 3, 3}, 1, 2, 2},        // dilated
    {"transposed", {8, 128, 28, 28}, {128, 64, 4, 4}, 2, 1},   // lhs_dilation
    {"pool", {8, 64, 112, 112}, {3, 3}, 2, 1},                 //
    {"pool", {64, 128, 8, 8}, {2, 2}, 2},
};
const char* const passes[] = {"forward", "input", "kernel"};

std::string joined(const Dims& dims) {
  std::string text;
  for (const std::int64_t d : dims) text += (text.empty() ? "" : "x") + std::to_string(d);
  return text;
}

// Converts NCHW and OIHW sizes to the layout: with channels last, NHWC and HWIO.
Type type_of(const Dims& nchw, bool channels_last) {
  if (!channels_last) return Type(DType::f32, {nchw[0], nchw[1], nchw[2], nchw[3]});
  return Type(DType::f32, {nchw[0], nchw[2], nchw[3], nchw[1]});
}
Type kernel_type(const Dims& oihw, bool channels_last) {
  if (!channels_last) return Type(DType::f32, {oihw[0], oihw[1], oihw[2], oihw[3]});
  return Type(DType::f32, {oihw[2], oihw[3], oihw[1], oihw[0]});
}

ir::Value convolved(const Case& c, bool last, ir::Value x, ir::Value kernel) {
  const bool transposed = std::string_view(c.kind) == "transposed";
  const std::int64_t low = transposed ? c.dilation * (c.kernel[2] - 1) - c.padding : c.padding;
  const Dims from_one{1, 2}, from_two{2, 3}, from_zero{0, 1}, dilations(2, c.dilation), padding(4, low),
      strides(2, c.stride);
  ir::ConvolutionAttributes a;
  a.input_spatial = a.output_spatial = last ? from_one : from_two;
  a.kernel_spatial = last ? from_zero : from_two;
  a.input_feature = a.output_feature = last ? 3 : 1;
  a.kernel_input_feature = last ? 2 : 1;
  a.kernel_output_feature = last ? 3 : 0;
  if (transposed) {
    std::swap(a.kernel_input_feature, a.kernel_output_feature);
    a.reversal = from_one;
    a.lhs_dilation = strides;
  } else {
    a.strides = strides;
  }
  a.padding = padding;
  a.rhs_dilation = dilations;
  a.feature_groups = c.groups;
  return ir::convolution(x, kernel, a);
}

ir::Value pooled(const Case& c, bool last, ir::Value x) {
  const auto spatial = [&](std::int64_t other, std::int64_t h, std::int64_t w) {
    return last ? Dims{other, h, w, other} : Dims{other, other, h, w};
  };
  Dims padding(8, 0);
  const std::size_t first = last ? 2 : 4;
  for (std::size_t i = first; i < first + 4; ++i) padding[i] = c.padding;
  const Dims sizes = spatial(1, c.kernel[0], c.kernel[1]), strides = spatial(1, c.stride, c.stride);
  return ir::reduce_window(x, ir::constant(x.graph(), Type(x.dtype(), {}), -INFINITY),
                           {sizes, strides, {}, {}, padding}, ir::reduction_body(ir::ops::maximum, x.dtype()));
}

void run(benchmark::State& state, const Case& c, bool last, int pass) {
  ir::Graph graph;
  const bool pool = std::string_view(c.kind) == "pool";
  std::vector<ir::Value> inputs{graph.add_input(type_of(c.x, last))};
  if (!pool) inputs.push_back(graph.add_input(kernel_type(c.kernel, last)));
  ir::Value y = pool ? pooled(c, last, inputs[0]) : convolved(c, last, inputs[0], inputs[1]);
  const double operations =
      y.type().elements() * (pool ? c.kernel[0] * c.kernel[1] : 2 * c.kernel[1] * c.kernel[2] * c.kernel[3]);
  if (pass > 0) {
    inputs.push_back(graph.add_input(y.type()));
    y = ir::gradient(graph, std::array{y}, std::array{inputs.back()},
                     std::array{inputs[static_cast<std::size_t>(pass) - 1]})[0];
  }
  graph.set_outputs({y});
  const auto executable = compiler::compile(graph);
  auto& device = runtime::cpu();
  std::vector<runtime::BufferPtr> buffers;
  for (const ir::Value v : inputs) {
    std::vector<float> numbers(v.type().elements());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i * 7919 % 1000) / 1000;
    buffers.push_back(device.upload(v.type(), std::as_bytes(std::span(numbers))));
  }
  for (auto _ : state) device.launch(executable, buffers).front()->wait();
  state.counters["FLOPS"] =
      benchmark::Counter(operations * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

}  // namespace

int main(int argc, char** argv) {
  for (const Case& c : cases)
    for (const bool last : {false, true})
      for (int pass = 0; pass < (c.kernel.size() == 2 ? 2 : 3); ++pass) {
        const std::string name =
            concat(last ? "NHWC" : "NCHW", "/", c.kind, "/", passes[pass], "/", joined(c.x), "/", joined(c.kernel), "/",
                   c.stride, "/", c.padding, "/", c.dilation, "/", c.groups);
        benchmark::RegisterBenchmark(name.c_str(), run, c, last, pass)->UseRealTime()->Unit(benchmark::kMillisecond);
      }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
