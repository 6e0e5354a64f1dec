// Measures how much of the GPU's memory bandwidth single operations reach, on the device that WEFT_DEVICE names: bytes that they must read
// and write, over the time of their kernels by the device's own clock. Prints one JSON object; "copy" is x + 1, the fastest that a kernel can be.
#include <functional>
#include <iostream>
#include <vector>

#include <nlohmann/json.hpp>

#include <weft/weft.h>

namespace {

using namespace weft;

// Returns the milliseconds of the thunks of one call.
double kernel_ms(const std::function<std::vector<Tensor>()>& call) {
  constexpr int warm_up = 3, runs = 10;
  const auto run = [&](int times) {
    for (int i = 0; i < times; ++i)
      for (const Tensor& result : call()) result.buffer()->wait();
  };
  run(warm_up);
  device().set_profiling(true);
  run(runs);
  double ms = 0;
  for (const runtime::ThunkTime& time : device().thunk_times()) ms += static_cast<double>(time.total_ns) / 1e6;
  device().set_profiling(false);
  return ms / runs;
}

nlohmann::json measure(const char* name, double bytes, const std::function<std::vector<Tensor>()>& call) {
  const double ms = kernel_ms(call);
  return {{"name", name}, {"ms", ms}, {"gb_s", bytes / ms / 1e6}};
}

Tensor uniform(int key, const Shape& shape, DType dtype) {
  return (random::uniform(random::Key(key), shape) * 2.0 - 1.0).to(dtype);
}

struct Weights {
  Parameter all;
  void fields(auto&& field) { field("all", all); }
};

nlohmann::json run() {
  constexpr std::int64_t rows = 1 << 18, width = 1024, classes = 50304, samples = 8192;
  constexpr double elements = static_cast<double>(rows) * width, bf16 = 2;
  const Tensor x = uniform(1, {rows, width}, DType::bf16), scale = uniform(2, {width}, DType::bf16),
               shift = uniform(3, {width}, DType::bf16), logits = uniform(4, {samples, classes}, DType::bf16),
               labels = random::integers(random::Key(5), {samples}, 0, classes);
  weft::sync();
  nlohmann::json results = nlohmann::json::array();
  const auto of_x = [&](const char* name, auto function) {
    const auto compiled = compile([function](const Tensor& y) { return function(y); });
    results.push_back(measure(name, 2 * elements * bf16, [&] { return std::vector{compiled(x)}; }));
  };
  of_x("copy", [](const Tensor& y) { return y + 1.0; });
  of_x("gelu, tanh", [](const Tensor& y) { return gelu(y, true); });
  of_x("gelu, erf", [](const Tensor& y) { return gelu(y); });
  of_x("softmax", [](const Tensor& y) { return softmax(y, -1); });
  of_x("layer_norm", [&](const Tensor& y) { return layer_norm(y, scale, shift); });
  of_x("transpose", [](const Tensor& y) { return transpose(y) + 1.0; });
  const auto loss =
      compile([](const Tensor& y, const Tensor& label) { return cross_entropy(y.to(DType::f32), label); });
  results.push_back(measure("cross_entropy, 50304 classes", static_cast<double>(samples) * classes * bf16,
                            [&] { return std::vector{loss(logits, labels)}; }));
  const auto sums = compile([](const Tensor& y) { return sum(y.to(DType::f32), {0}); });
  results.push_back(measure("sum of columns", elements * bf16, [&] { return std::vector{sums(x)}; }));
  Weights weights{Parameter(uniform(6, {1 << 27}, DType::f32))};
  const Tensor gradient = uniform(7, {1 << 27}, DType::f32);
  optim::AdamW optimizer(weights, {.lr = 1e-3, .weight_decay = 0.1});
  const auto update = compile([&](const Tensor& g) {
    optimizer.step(std::vector{g});
    return sum(slice(weights.all.tensor(), 0, 0, 1));
  });
  results.push_back(measure("AdamW", 28.0 * (1 << 27), [&] { return std::vector{update(gradient)}; }));
  return {{"device", device().id().text()}, {"kernels", results}};
}

}  // namespace

int main() {
  try {
    std::cout << run().dump() << '\n';
  } catch (const weft::Error& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
}
