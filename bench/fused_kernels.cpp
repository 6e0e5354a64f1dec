// Compares generated kernels with plain vector loops of the same sizes: weft_NAME and plain_NAME, in bytes moved per second.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <weft/compiler/compiler.h>
#include <weft/ir/builder.h>
#include <weft/runtime/cpu/cpu_device.h>
#include <weft/runtime/parallel.h>

namespace {

using namespace weft;

// The plain loops are compiled with the options for this CPU that the top CMakeLists.txt sets.
void plain_residual(const float* __restrict x, const float* __restrict y, float* __restrict out, std::int64_t begin,
                    std::int64_t end, std::int64_t columns) {
#pragma omp simd
  for (std::int64_t i = begin * columns; i < end * columns; ++i) out[i] = std::max(x[i] * 0.5f + y[i], 0.0f);
}

void plain_update(const float* __restrict x, const float* __restrict y, float* __restrict out, std::int64_t begin,
                  std::int64_t end, std::int64_t columns) {
#pragma omp simd
  for (std::int64_t i = begin * columns; i < end * columns; ++i)
    out[i] = x[i] - 0.001f * y[i] / (std::sqrt(std::fabs(y[i])) + 1e-8f);
}

void plain_row_sum(const float* __restrict x, const float*, float* __restrict out, std::int64_t begin, std::int64_t end,
                   std::int64_t columns) {
  for (std::int64_t row = begin; row < end; ++row) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < columns; ++i) sum += x[row * columns + i];
    out[row] = sum;
  }
}

void plain_row_norm(const float* __restrict x, const float*, float* __restrict out, std::int64_t begin,
                    std::int64_t end, std::int64_t columns) {
  for (std::int64_t row = begin; row < end; ++row) {
    const float* from = x + row * columns;
    float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < columns; ++i) sum += from[i];
    const float mean = sum / static_cast<float>(columns);
#pragma omp simd reduction(+ : squares)
    for (std::int64_t i = 0; i < columns; ++i) squares += (from[i] - mean) * (from[i] - mean);
    const float scale = 1 / std::sqrt(squares / static_cast<float>(columns) + 1e-5f);
#pragma omp simd
    for (std::int64_t i = 0; i < columns; ++i) out[row * columns + i] = (from[i] - mean) * scale;
  }
}

ir::Value residual(ir::Value x, ir::Value y) { return ir::maximum(x * 0.5 + y, ir::constant_like(x, 0)); }
ir::Value update(ir::Value x, ir::Value y) { return x - y * 0.001 / (ir::sqrt(ir::abs(y)) + 1e-8); }
ir::Value row_sum(ir::Value x, ir::Value) { return ir::reduce_sum(x, std::vector<std::int64_t>{1}); }
ir::Value row_norm(ir::Value x, ir::Value) {
  const std::vector<std::int64_t> rows = {0}, columns = {1};
  const auto mean = [&](ir::Value v) {
    return ir::broadcast_in_dim(ir::reduce_sum(v, columns) * (1.0 / x.size(1)), x.type(), rows);
  };
  const ir::Value centred = x - mean(x);
  return centred * ir::rsqrt(mean(centred * centred) + 1e-5);
}

struct Case {
  const char* name;
  ir::Value (*build)(ir::Value x, ir::Value y);
  void (*plain)(const float* __restrict x, const float* __restrict y, float* __restrict out, std::int64_t first_row,
                std::int64_t last_row, std::int64_t columns);
  bool reads_y, writes_rows;  // reads one operand or two; writes one number per row or all

  std::int64_t bytes(Type type) const {
    return type.bytes() * (reads_y ? 2 : 1) + (writes_rows ? type.bytes() / type.size(1) : type.bytes());
  }
};
constexpr Case cases[] = {{"residual", residual, plain_residual, true, false},
                          {"update", update, plain_update, true, false},
                          {"row_sum", row_sum, plain_row_sum, false, true},
                          {"row_norm", row_norm, plain_row_norm, false, false}};

void compiled(benchmark::State& state, const Case& c, Type type) {
  ir::Graph graph;
  const ir::Value x = graph.add_input(type), y = graph.add_input(type);
  graph.set_outputs({c.build(x, y)});
  const auto executable = compiler::compile(graph);
  auto& device = runtime::cpu();
  const std::vector<float> ones(type.elements(), 1);
  const runtime::BufferPtr inputs[] = {device.upload(type, std::as_bytes(std::span(ones))),
                                       device.upload(type, std::as_bytes(std::span(ones)))};
  runtime::BufferPtr last;  // consecutive launches, as in training; the device limits how many wait
  for (auto _ : state) last = device.launch(executable, inputs).front();
  last->wait();
  state.SetBytesProcessed(state.iterations() * c.bytes(type));
}

void plain(benchmark::State& state, const Case& c, Type type) {
  const std::vector<float> x(type.elements(), 1), y = x;
  std::vector<float> out(x.size());
  for (auto _ : state) {
    runtime::parallel_for(type.size(0), 16, [&](std::int64_t begin, std::int64_t end) {
      c.plain(x.data(), y.data(), out.data(), begin, end, type.size(1));
    });
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * c.bytes(type));
}

}  // namespace

int main(int argc, char** argv) {
  for (const Case& c : cases) {
    for (const std::int64_t width : {384, 4 * 384}) {  // as for the default model's activations
      const Type type(float32, {16 * 256, width});
      const std::string name = concat(c.name, "/", width);
      benchmark::RegisterBenchmark(("weft_" + name).c_str(), compiled, c, type)->UseRealTime();
      benchmark::RegisterBenchmark(("plain_" + name).c_str(), plain, c, type)->UseRealTime();
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
