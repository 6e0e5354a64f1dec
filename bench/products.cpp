// Measures the lower limit of a GPT's training step: only its matrix products, one after the other, each with the time that the
// library underneath needs on warm operands.
// Usage: products LAYERS WIDTH HEADS CONTEXT BATCH; prints {"ms": ..., "gflops_per_s": ...}.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <weft/compiler/compiler.h>
#include <weft/ir/builder.h>
#include <weft/runtime/cpu/cpu_device.h>

namespace {

using namespace weft;
using Dims = std::vector<std::int64_t>;

struct Product {
  Type lhs, rhs;
  Dims lhs_batching, lhs_contracting, rhs_contracting;
  std::int64_t times;  // per step
};

// Adds the three products of y = x W^T: the forward product, the gradient of x, the gradient of W.
void linear(std::vector<Product>& all, std::int64_t rows, std::int64_t in, std::int64_t out, std::int64_t times) {
  const Type x(DType::f32, {rows, in}), w(DType::f32, {out, in}), dy(DType::f32, {rows, out});
  all.push_back({x, w, {}, {1}, {1}, times});
  all.push_back({dy, w, {}, {1}, {0}, times});
  all.push_back({dy, x, {}, {0}, {0}, times});
}

std::vector<Product> products(std::int64_t layers, std::int64_t width, std::int64_t heads, std::int64_t context,
                              std::int64_t batch) {
  constexpr std::int64_t vocabulary = 256;
  const std::int64_t rows = batch * context;
  std::vector<Product> all;
  linear(all, rows, width, 3 * width, layers);
  linear(all, rows, width, width, layers);
  linear(all, rows, width, 4 * width, layers);
  linear(all, rows, 4 * width, width, layers);
  linear(all, rows, width, vocabulary, 1);
  const Type q(DType::f32, {batch * heads, context, width / heads}), p(DType::f32, {batch * heads, context, context});
  all.push_back({q, q, {0}, {2}, {2}, 2 * layers});  // scores, and the gradient of the attention weights
  all.push_back({p, q, {0}, {2}, {1}, 2 * layers});  // their weighted sum, and the gradient of the queries
  all.push_back({p, q, {0}, {1}, {1}, 2 * layers});  // the gradients of the values and of the keys
  return all;
}

double milliseconds(const Product& product) {
  ir::Graph graph;
  const ir::Value lhs = graph.add_input(product.lhs), rhs = graph.add_input(product.rhs);
  graph.set_outputs({ir::dot_general(
      lhs, rhs, {product.lhs_batching, product.lhs_batching, product.lhs_contracting, product.rhs_contracting})});
  const auto executable = compiler::compile(graph);
  auto& device = runtime::cpu();
  const auto ones = [&](Type type) {
    const std::vector<float> elements(type.elements(), 1);
    return device.upload(type, std::as_bytes(std::span(elements)));
  };
  const runtime::BufferPtr inputs[] = {ones(product.lhs), ones(product.rhs)};
  double best = 1e9;
  for (int round = 0; round < 6; ++round) {
    constexpr int together = 4;  // so that the overhead of a launch does not count
    const auto start = std::chrono::steady_clock::now();
    runtime::BufferPtr last;
    for (int i = 0; i < together; ++i) last = device.launch(executable, inputs).front();
    last->wait();
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count() / together);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return std::fputs("usage: products LAYERS WIDTH HEADS CONTEXT BATCH\n", stderr), 2;
  const auto number = [&](int i) { return std::strtoll(argv[i], nullptr, 10); };
  double ms = 0, flops = 0;
  for (const Product& product : products(number(1), number(2), number(3), number(4), number(5))) {
    const double times = product.times;
    std::int64_t contracted = 1;
    for (const std::int64_t d : product.lhs_contracting) contracted *= product.lhs.size(d);
    std::int64_t batch = product.lhs_batching.empty() ? 1 : product.lhs.size(0);
    ms += times * milliseconds(product);
    flops += times * 2 * static_cast<double>(product.lhs.elements()) * static_cast<double>(product.rhs.elements()) /
             static_cast<double>(contracted * batch);
  }
  std::printf("{\"ms\": %.4f, \"gflops_per_s\": %.1f}\n", ms, flops / ms * 1e-6);
}
