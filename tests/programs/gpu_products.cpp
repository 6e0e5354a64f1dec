// Runs products on a GPU through cuBLASLt and compares them with the interpreter, then measures large ones.
// Usage: gpu_products [check|measure|all] [ORDINAL]. Exits with 1 if a product is wrong or the library refuses it.
#include <tests/compiler/library/cuda/gpu_products.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <tests/compiler/library/cuda/gpu_product_memory.h>

#include <weft/compiler/library/cuda/cublaslt.h>
#include <weft/runtime/cuda/driver.h>
#include <weft/runtime/cuda/gpus.h>

namespace {

using namespace weft;
using runtime::cuda::check;
using runtime::cuda::driver;
using test::GpuStream;
using test::ProductCase;

constexpr DType bf16 = DType::bf16;

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

bool same_bytes(const ir::Array& a, const ir::Array& b) { return std::ranges::equal(a.bytes(), b.bytes()); }

class Check {
 public:
  explicit Check(const GpuStream& gpu) : gpu_(gpu) {}

  void add(const ProductCase& product, std::uint64_t seed, bool strict) {
    test::PlannedProduct plan;
    try {
      plan = test::planned(product);
    } catch (const Error&) {
      return;  // the planner copies such operands first
    }
    if (!test::is_whole(plan)) return;
    const auto inputs = test::random_inputs(product, seed);
    ++count_;
    try {
      test::GpuProductMemory memory(gpu_);
      const test::ProductRun run(plan, inputs, product.misaligned, memory, {.strict = strict});
      run.run();
      const ir::Array result = run.result();
      // The library rounds a product of 16 bits before it adds the residual or the bias, as the program that is not fused does.
      const double worst = test::worst_difference(product, inputs, result, test::Rounding::each_step);
      double& worst_of_type = worst_[concat(product.operands, " -> ", product.result,
                                            product.steps.find('g') != std::string::npos ? " GELU" : "")];
      worst_of_type = std::max(worst_of_type, worst);
      if (!(worst <= 1)) fail(product, strict, concat("differs by ", worst, " bounds"));
      // The residual of a result of one row is a bias.
      if (std::ranges::count(plan.matmul.epilogue.steps, compiler::EpilogueStep::Kind::residual,
                             &compiler::EpilogueStep::kind)) {
        const test::ProductRun in_place(plan, inputs, product.misaligned, memory, {.strict = strict}, {}, true);
        in_place.run();
        if (!same_bytes(in_place.result(), result)) observe(product, strict, "has other bits in place of the residual");
      }
      run.run();
      if (!same_bytes(run.result(), result)) fail(product, strict, "has other bits when it runs again");
    } catch (const std::exception& error) {
      fail(product, strict, error.what());
    }
  }

  bool tell() const {
    std::cout << count_ << " products, " << failures_ << " of them wrong or refused; worst differences, in bounds:\n";
    for (const auto& [type, worst] : worst_) std::cout << "  " << type << ": " << worst << '\n';
    if (observations_ != 0)
      std::cout << observations_
                << " products have other bits in place of the residual; no run sees a difference, because whether a "
                   "result takes over the residual's memory is decided when the program is compiled\n";
    return failures_ == 0;
  }

 private:
  void fail(const ProductCase& product, bool strict, const std::string& reason) {
    ++failures_;
    print("FAILED", product, strict, reason);
  }
  void observe(const ProductCase& product, bool strict, const std::string& what) {
    ++observations_;
    print("observed", product, strict, what);
  }
  static void print(const char* kind, const ProductCase& product, bool strict, const std::string& text) {
    std::cout << kind << ": " << product.text() << (strict ? " (strict)" : "") << ": " << text << std::endl;
  }

  const GpuStream& gpu_;
  int count_ = 0, failures_ = 0, observations_ = 0;
  std::map<std::string, double> worst_;
};

bool check_all(const GpuStream& gpu) {
  Check checked(gpu);
  std::uint64_t seed = 0;
  for (const ProductCase& product : test::product_cases())
    for (const bool strict : {false, true}) checked.add(product, ++seed, strict);
  for (std::uint64_t random = 0; random < 400; ++random)
    checked.add(test::random_product(random), random, random % 2 == 1);
  return checked.tell();
}

// Random numbers, repeated: the speed of a product depends on its numbers, and making millions of them takes long.
std::vector<ir::Array> tiled_inputs(const ProductCase& product) {
  ProductCase small = product;
  small.lhs = {{64, 1024}};
  small.rhs = {{1024, 64}};
  small.lhs_batching = small.rhs_batching = {};
  small.lhs_contracting = {1};
  small.rhs_contracting = {0};
  small.steps = {};
  const ir::Array tile = test::random_inputs(small, 1)[0];
  std::vector<ir::Array> inputs;
  const test::PlannedProduct plan = test::planned(product);
  for (const ir::Value v : plan.graph->inputs()) {
    ir::Array& input = inputs.emplace_back(v.type());
    const auto from = tile.bytes();
    for (std::size_t at = 0; at < input.bytes().size(); at += from.size())
      std::memcpy(input.bytes().data() + at, from.data(), std::min(from.size(), input.bytes().size() - at));
  }
  return inputs;
}

void measure(const GpuStream& gpu, const ProductCase& product) {
  const auto plan = test::planned(product);
  test::GpuProductMemory memory(gpu);
  const test::ProductRun run(plan, tiled_inputs(product), product.misaligned, memory);
  auto begin = std::chrono::steady_clock::now();
  run.run();
  const double first = milliseconds_since(begin);
  gpu.wait();
  constexpr int runs = 20;
  const auto event = [] {
    runtime::cuda::CUevent made = nullptr;
    check(driver().cuEventCreate(&made, 0), "cuEventCreate");
    return made;
  };
  const auto from = event(), to = event();
  for (int i = 0; i < 3; ++i) run.run();
  check(driver().cuEventRecord(from, gpu.queue().stream), "cuEventRecord");
  begin = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) run.run();
  const double submitted = milliseconds_since(begin) / runs;
  check(driver().cuEventRecord(to, gpu.queue().stream), "cuEventRecord");
  gpu.wait();
  float milliseconds = 0;
  check(driver().cuEventElapsedTime(&milliseconds, from, to), "cuEventElapsedTime");
  driver().cuEventDestroy(from);
  driver().cuEventDestroy(to);
  milliseconds /= runs;
  const double flops = static_cast<double>(run.flops());
  std::cout << std::fixed << std::setprecision(1) << std::setw(8) << flops / milliseconds / 1e9 << " TFLOP/s "
            << std::setw(9) << milliseconds * 1000 << " us, submitted in " << std::setw(6) << submitted * 1000
            << " us, first in " << std::setw(8) << first * 1000 << " us: " << product.text()
            << (test::is_whole(plan) ? "" : " (part of the steps)") << std::endl;
}

void measure_all(const GpuStream& gpu) {
  const auto plain = [](std::int64_t m, std::int64_t k, std::int64_t n, const char* steps, DType dtype = bf16) {
    return ProductCase{{{m, k}}, {{k, n}}, {}, {}, {1}, {0}, dtype, dtype, steps};
  };
  const auto by_rows = [](std::int64_t m, std::int64_t k, std::int64_t n) {  // the weight lies as [n, k]
    return ProductCase{{{m, k}}, {{n, k}}, {}, {}, {1}, {1}, bf16, bf16};
  };
  const auto summed = [](std::int64_t rows, std::int64_t m, std::int64_t n) {  // the gradient of a weight
    return ProductCase{{{rows, m}}, {{rows, n}}, {}, {}, {0}, {0}, bf16, bf16};
  };
  std::vector<ProductCase> products{plain(8192, 8192, 8192, "")};
  for (const char* steps : {"", "b"}) products.push_back(plain(32768, 768, 2304, steps));
  for (const char* steps : {"", "b", "bg"}) products.push_back(plain(32768, 768, 3072, steps));
  for (const char* steps : {"", "b", "br"}) products.push_back(plain(32768, 3072, 768, steps));
  products.push_back(by_rows(32768, 3072, 768));
  products.push_back(summed(32768, 768, 3072));
  // The vocabulary of GPT-2, and the next multiple of 128: logits, gradient of what they are made of, gradient of the table.
  for (const std::int64_t words : {50257, 50304}) {
    products.push_back(by_rows(8192, 768, words));
    products.push_back(plain(8192, words, 768, ""));
    products.push_back(summed(8192, words, 768));
  }
  // Attention: [batch, row, head, width].
  const test::OperandView heads{{32, 1024, 12, 64}}, scores{{32, 12, 1024, 1024}};
  products.push_back({heads, heads, {0, 2}, {0, 2}, {3}, {3}, bf16, bf16});
  products.push_back({scores, heads, {0, 1}, {0, 2}, {3}, {1}, bf16, bf16});
  products.push_back({{{384, 1024, 64}}, {{384, 1024, 64}}, {0}, {0}, {2}, {2}, bf16, bf16});
  products.push_back(plain(1, 4096, 4096, ""));
  products.push_back(plain(4096, 4096, 1, ""));
  products.push_back(plain(64, 64, 64, ""));
  products.push_back(plain(4096, 4096, 4096, "", DType::f32));
  for (const ProductCase& product : products) measure(gpu, product);
}

int run(const std::string& what, int ordinal) {
  const auto& gpus = runtime::cuda::find_gpus();
  require(gpus.ok(), "gpu_products: there is no GPU: ", gpus.reason());
  const GpuStream gpu(ordinal);
  auto begin = std::chrono::steady_clock::now();
  const auto& library = compiler::cublaslt::loaded();
  const double load = milliseconds_since(begin);
  begin = std::chrono::steady_clock::now();
  compiler::cublaslt::handle_of(ordinal);
  std::cout << runtime::cuda::gpu(ordinal).name << ", cuBLASLt " << library.version() << " (" << library.path
            << "), loaded in " << load << " ms, ready in " << milliseconds_since(begin) << " ms" << std::endl;
  const bool is_right = what == "measure" || check_all(gpu);
  if (what != "check") measure_all(gpu);
  return is_right ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count > 1 ? arguments[1] : "all", count > 2 ? std::stoi(arguments[2]) : 0);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
