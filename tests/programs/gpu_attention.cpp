// Runs the kernels of attention on a GPU and compares them with sums on the host, then measures them.
// Usage: gpu_attention [check|measure|all] [ORDINAL]. Exits with 1 if a result is wrong. On a GPU of compute capability 9.0, it also checks
// and measures the kernels of warpgroups, and several ways of dividing their work.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <weft/base/error.h>
#include <weft/base/half.h>
#include <weft/compiler/codegen/cuda/gpu_kernel.h>
#include <weft/compiler/codegen/llvm/jit.h>
#include <weft/compiler/loop/attention_kernel.h>
#include <weft/runtime/cuda/driver.h>
#include <weft/runtime/cuda/gpus.h>
#include <weft/runtime/cuda/module.h>

namespace {

using namespace weft;
using compiler::AttentionKernel;
using compiler::AttentionTiles;
using runtime::cuda::check;
using runtime::cuda::CUdeviceptr;
using runtime::cuda::driver;
using Part = AttentionKernel::Part;
using Bits = std::vector<std::uint16_t>;

struct Strides {
  std::int64_t batch, head, row;
};

struct Case {
  std::int64_t batches, heads, queries, keys;
  int width;
  bool is_causal;
  DType dtype = DType::bf16;

  std::string text() const {
    return concat(name(dtype), " [", batches, ", ", heads, ", ", queries, ", ", width, "] with ", keys, " keys",
                  is_causal ? ", causal" : "");
  }
  std::int64_t query_elements() const { return batches * heads * queries * width; }
  std::int64_t key_elements() const { return batches * heads * keys * width; }
  // Rows of all heads beside each other, as a product leaves them.
  Strides by_time(std::int64_t rows) const { return {rows * heads * width, width, heads * width}; }
  Strides dense(std::int64_t rows) const { return {heads * rows * width, rows * width, width}; }
  double forward_operations() const {
    return 4.0 * static_cast<double>(batches * heads * queries * keys * width) * (is_causal ? 0.5 : 1);
  }
};

double widened(DType dtype, std::uint16_t bits) {
  return dtype == DType::bf16 ? double(bfloat16::from_bits(bits)) : double(float16::from_bits(bits));
}

// Sums of four uniform numbers, with variance 1.
Bits random_elements(std::int64_t count, DType dtype, std::uint64_t seed) {
  Bits bits(static_cast<std::size_t>(count));
  std::uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (std::uint16_t& b : bits) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<double>(state >> (8 + 14 * i) & 0x3fff) / 0x4000 - 0.5;
    sum *= std::sqrt(3.0);
    b = dtype == DType::bf16 ? bfloat16(sum).bits : float16(sum).bits;
  }
  return bits;
}

class Memory {
 public:
  explicit Memory(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
    check(driver().cuMemAlloc(&address_, std::max<std::size_t>(bytes_, 256)), "cuMemAlloc");
    check(driver().cuMemsetD8Async(address_, 0xff, bytes_, nullptr), "cuMemsetD8Async");  // NaN
  }
  explicit Memory(const Bits& elements) : Memory(static_cast<std::int64_t>(2 * elements.size())) {
    check(driver().cuMemcpyHtoDAsync(address_, elements.data(), bytes_, nullptr), "cuMemcpyHtoDAsync");
    check(driver().cuCtxSynchronize(), "cuCtxSynchronize");
  }
  ~Memory() { driver().cuMemFree(address_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  CUdeviceptr address() const { return address_; }
  template <class T>
  std::vector<T> read() const {
    std::vector<T> values(bytes_ / sizeof(T));
    check(driver().cuMemcpyDtoHAsync(values.data(), address_, bytes_, nullptr), "cuMemcpyDtoHAsync");
    check(driver().cuCtxSynchronize(), "cuCtxSynchronize");
    return values;
  }

 private:
  std::size_t bytes_;
  CUdeviceptr address_ = 0;
};

bool has_warpgroups(int ordinal) {
  const auto& gpu = runtime::cuda::gpu(ordinal);
  return gpu.major == 9 && gpu.minor == 0;
}

const compiler::Target& target_of(int ordinal, bool with_warpgroups) {
  const std::string name = runtime::cuda::target_of(runtime::cuda::gpu(ordinal));
  return compiler::Target::named(with_warpgroups ? "sm_90a" : name);
}

// The kernels that a compilation chooses, with or without warpgroups, and how the division of their work is changed.
struct Variant {
  std::string text;
  bool with_warpgroups = false;
  std::function<void(AttentionKernel&)> change = [](AttentionKernel&) {};
};

class Kernel {
 public:
  Kernel(const AttentionKernel& kernel, int ordinal) : tiles_(attention_tiles(kernel)) {
    const std::string names[] = {"attention"};
    const compiler::KernelSource sources[] = {&kernel};
    const std::string code = compiler::make_objects(sources, names, target_of(ordinal, kernel.warpgroups > 0))[0];
    module_ = std::make_unique<runtime::cuda::Module>(ordinal, code);
    function_ = module_->function(gpu_function(names[0], compiler::GpuForm::elements));
    constexpr int most_shared_bytes = 8;
    check(driver().cuFuncSetAttribute(function_, most_shared_bytes, tiles_.shared_bytes), "cuFuncSetAttribute");
  }

  void launch(const Case& c, std::int64_t rows, std::vector<CUdeviceptr> buffers,
              const std::vector<Strides>& strides) const {
    const std::int64_t row_blocks = (rows + tiles_.rows - 1) / tiles_.rows;
    std::vector<std::int64_t> parameters{c.heads, c.queries, c.keys, row_blocks};
    for (const Strides& s : strides) parameters.insert(parameters.end(), {s.batch, s.head, s.row});
    std::vector<void*> arguments;
    for (CUdeviceptr& buffer : buffers) arguments.push_back(&buffer);
    for (std::int64_t& parameter : parameters) arguments.push_back(&parameter);
    check(driver().cuLaunchKernel(function_, static_cast<unsigned>(row_blocks * c.batches * c.heads), 1, 1,
                                  static_cast<unsigned>(tiles_.threads), 1, 1,
                                  static_cast<unsigned>(tiles_.shared_bytes), nullptr, arguments.data(), nullptr),
          "cuLaunchKernel");
  }
  std::string resources() const {
    constexpr int local_bytes = 3, registers = 4;
    int local = 0, used = 0;
    check(driver().cuFuncGetAttribute(&local, local_bytes, function_), "cuFuncGetAttribute");
    check(driver().cuFuncGetAttribute(&used, registers, function_), "cuFuncGetAttribute");
    return concat(used, " registers, ", local, " bytes of local memory");
  }

 private:
  AttentionTiles tiles_;
  std::unique_ptr<runtime::cuda::Module> module_;
  runtime::cuda::CUfunction function_ = nullptr;
};

// The inputs lie as in one product of queries, keys and values, where both have the same length; the results lie densely.
class Attention {
 public:
  Attention(const Case& of, int ordinal, const Variant& variant)
      : c(of),
        packed(random_elements((of.query_elements() + 2 * of.key_elements()), of.dtype, 1)),
        dy_bits(random_elements(of.query_elements(), of.dtype, 2)),
        inputs_(packed),
        dy_(dy_bits) {
    const bool together = c.queries == c.keys;
    const auto of_packed = [&](int part) {
      if (together) return 2 * part * c.heads * c.width;
      return part == 0 ? 0 : 2 * (c.query_elements() + (part - 1) * c.key_elements());
    };
    const auto strides_of_packed = [&](std::int64_t rows) {
      if (!together) return c.by_time(rows);
      return Strides{3 * rows * c.heads * c.width, c.width, 3 * c.heads * c.width};
    };
    for (int part = 0; part < 3; ++part) {
      begin[part] = of_packed(part) / 2;
      strides[part] = strides_of_packed(part == 0 ? c.queries : c.keys);
    }
    for (int part = 0; part < 3; ++part) {
      const compiler::Target& target = target_of(ordinal, variant.with_warpgroups);
      AttentionKernel kernel = AttentionKernel::best(static_cast<Part>(part), c.dtype, c.width, c.is_causal, target);
      variant.change(kernel);
      kernels_.push_back(std::make_unique<Kernel>(kernel, ordinal));
    }
  }

  void forward() const {
    kernels_[0]->launch(c, c.queries, {at(0), at(1), at(2), y.address(), log_sums.address()},
                        {strides[0], strides[1], strides[2], c.dense(c.queries)});
  }
  void query_gradient() const {
    kernels_[1]->launch(
        c, c.queries,
        {at(0), at(1), at(2), dy_.address(), y.address(), log_sums.address(), dq.address(), sums.address()},
        {strides[0], strides[1], strides[2], c.by_time(c.queries), c.dense(c.queries), c.dense(c.queries)});
  }
  void key_gradient() const {
    kernels_[2]->launch(
        c, c.keys, {at(0), at(1), at(2), dy_.address(), log_sums.address(), sums.address(), dk.address(), dv.address()},
        {strides[0], strides[1], strides[2], c.by_time(c.queries), c.dense(c.keys), c.dense(c.keys)});
  }
  const Kernel& kernel(int part) const { return *kernels_[static_cast<std::size_t>(part)]; }
  CUdeviceptr at(int part) const { return inputs_.address() + 2 * static_cast<CUdeviceptr>(begin[part]); }

  const Case c;
  const Bits packed, dy_bits;
  std::int64_t begin[3];
  Strides strides[3];
  const Memory y{2 * c.query_elements()}, log_sums{4 * c.batches * c.heads * c.queries}, dq{2 * c.query_elements()},
      sums{4 * c.batches * c.heads * c.queries}, dk{2 * c.key_elements()}, dv{2 * c.key_elements()};

 private:
  const Memory inputs_, dy_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
};

// The largest difference and the largest value.
struct Difference {
  double worst = 0, largest = 0;
  void add(double found, double expected) {
    const double difference = std::abs(found - expected);
    if (!(difference <= worst)) worst = difference;
    largest = std::max(largest, std::abs(expected));
  }
};

// Computes one head in f64.
std::map<std::string, Difference> differences(const Attention& a, std::int64_t batch, std::int64_t head) {
  const Case& c = a.c;
  const std::int64_t d = c.width;
  const auto input = [&](int part) {
    const std::int64_t rows = part == 0 ? c.queries : c.keys;
    std::vector<double> x(static_cast<std::size_t>(rows * d));
    const Strides& s = a.strides[part];
    for (std::int64_t i = 0; i < rows * d; ++i)
      x[i] = widened(c.dtype, a.packed[a.begin[part] + batch * s.batch + head * s.head + i / d * s.row + i % d]);
    return x;
  };
  const std::vector<double> q = input(0), k = input(1), v = input(2);
  const auto result = [&](const Memory& memory, std::int64_t rows) {
    const Bits all = memory.read<std::uint16_t>();
    std::vector<double> x;
    for (std::int64_t i = 0; i < rows * d; ++i)
      x.push_back(widened(c.dtype, all[(batch * c.heads + head) * rows * d + i]));
    return x;
  };
  const auto y = result(a.y, c.queries), dq = result(a.dq, c.queries), dk = result(a.dk, c.keys),
             dv = result(a.dv, c.keys);
  const std::vector<float> log_sums = a.log_sums.read<float>();
  std::map<std::string, Difference> all;
  std::vector<double> want_dk(k.size()), want_dv(v.size()), w(static_cast<std::size_t>(c.keys)), want_y(d), want_dq(d),
      g(d);
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  for (std::int64_t i = 0; i < c.queries; ++i) {
    const std::int64_t seen = c.is_causal ? std::clamp<std::int64_t>(i + 1 + c.keys - c.queries, 0, c.keys) : c.keys;
    double top = -std::numeric_limits<double>::infinity(), sum = 0, dot = 0;
    for (std::int64_t j = 0; j < seen; ++j) {
      w[j] = 0;
      for (std::int64_t e = 0; e < d; ++e) w[j] += q[i * d + e] * k[j * d + e];
      top = std::max(top, w[j] *= scale);
    }
    for (std::int64_t j = 0; j < seen; ++j) sum += std::exp(w[j] - top);
    const double log_sum = seen ? top + std::log(sum) : top;
    const float found = log_sums[(batch * c.heads + head) * c.queries + i];
    if (seen || found != log_sum) all["log_sum"].add(found, log_sum);
    std::ranges::fill(want_y, 0);
    std::ranges::fill(want_dq, 0);
    for (std::int64_t j = 0; j < seen; ++j) {
      w[j] = std::exp(w[j] - log_sum);
      for (std::int64_t e = 0; e < d; ++e) want_y[e] += w[j] * v[j * d + e];
    }
    for (std::int64_t e = 0; e < d; ++e) {
      const Strides s = c.by_time(c.queries);
      g[e] = widened(c.dtype, a.dy_bits[batch * s.batch + head * s.head + i * s.row + e]);
      dot += want_y[e] * g[e];
      all["result"].add(y[i * d + e], want_y[e]);
    }
    for (std::int64_t j = 0; j < seen; ++j) {
      double dw = 0;
      for (std::int64_t e = 0; e < d; ++e) dw += g[e] * v[j * d + e];
      const double ds = w[j] * (dw - dot) * scale;
      for (std::int64_t e = 0; e < d; ++e) {
        want_dq[e] += ds * k[j * d + e];
        want_dk[j * d + e] += ds * q[i * d + e];
        want_dv[j * d + e] += w[j] * g[e];
      }
    }
    for (std::int64_t e = 0; e < d; ++e) all["dq"].add(dq[i * d + e], want_dq[e]);
  }
  for (std::size_t i = 0; i < dk.size(); ++i) {
    all["dk"].add(dk[i], want_dk[i]);
    all["dv"].add(dv[i], want_dv[i]);
  }
  return all;
}

// Weights, their gradients and the results are rounded to 8 bits, at worst all in one direction.
constexpr double bound = 0.02;

bool is_right(const Case& c, int ordinal, const Variant& variant) {
  const Attention a(c, ordinal, variant);
  a.forward();
  a.query_gradient();
  a.key_gradient();
  bool is_right = true;
  std::string text;
  for (const auto& [what, d] : differences(a, c.batches - 1, c.heads / 2)) {
    const double most = what == "log_sum" ? 1e-5 * (1 + d.largest) : bound * d.largest + 1e-30;
    text += concat(", ", what, ' ', d.worst, " of ", d.largest);
    is_right = is_right && d.worst <= most;
  }
  const auto bits = [&] {
    return std::array{a.y.read<std::uint16_t>(), a.dq.read<std::uint16_t>(), a.dk.read<std::uint16_t>(),
                      a.dv.read<std::uint16_t>()};
  };
  const auto first = bits();
  for (int i = 0; i < 10 && is_right; ++i) {
    a.forward();
    a.query_gradient();
    a.key_gradient();
    if (bits() != first) text += ", BUT OTHER BITS IN ANOTHER RUN", is_right = false;
  }
  std::cout << (is_right ? "right: " : "WRONG: ") << variant.text << ", " << c.text() << text << std::endl;
  return is_right;
}

template <class F>
double milliseconds(F&& f) {
  constexpr int warm_up = 5, runs = 30;
  runtime::cuda::CUevent begin = nullptr, end = nullptr;
  check(driver().cuEventCreate(&begin, 0), "cuEventCreate");
  check(driver().cuEventCreate(&end, 0), "cuEventCreate");
  for (int i = 0; i < warm_up; ++i) f();
  check(driver().cuEventRecord(begin, nullptr), "cuEventRecord");
  for (int i = 0; i < runs; ++i) f();
  check(driver().cuEventRecord(end, nullptr), "cuEventRecord");
  check(driver().cuEventSynchronize(end), "cuEventSynchronize");
  float all = 0;
  check(driver().cuEventElapsedTime(&all, begin, end), "cuEventElapsedTime");
  driver().cuEventDestroy(begin);
  driver().cuEventDestroy(end);
  return all / runs;
}

void measure(const Case& c, int ordinal, const Variant& variant) {
  const Attention a(c, ordinal, variant);
  std::cout << c.text() << ", " << variant.text << '\n' << std::fixed;
  double all = 0;
  const auto line = [&](const char* what, double operations, double ms, const std::string& more = "") {
    std::cout << "  " << std::left << std::setw(16) << what << std::right << std::setprecision(3) << ms << " ms  "
              << std::setprecision(0) << operations / ms / 1e9 << " TFLOP/s  " << more << std::endl;
  };
  const double products = c.forward_operations() / 2;  // of one product
  const auto part = [&](int which, const char* what, int count, auto&& f) {
    const double ms = milliseconds(f);
    all += ms;
    line(what, products * count, ms, a.kernel(which).resources());
  };
  part(0, "forward", 2, [&] { a.forward(); });
  part(1, "query gradient", 3, [&] { a.query_gradient(); });
  part(2, "key gradient", 4, [&] { a.key_gradient(); });
  line("all", products * 7, all, "(counted as 7 products)");
  std::cout << std::defaultfloat << std::setprecision(6);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string what = argc > 1 ? argv[1] : "all";
    const int ordinal = argc > 2 ? std::stoi(argv[2]) : 0;
    std::cout << runtime::cuda::gpu(ordinal).name << std::endl;
    const runtime::cuda::Current current(ordinal);
    bool is_right_everywhere = true;
    std::vector<Variant> ways{{"by warps"}}, variants;
    for (const int tiles : {1, 2})
      variants.push_back(
          {concat("by warps, row tiles ", tiles), false, [=](AttentionKernel& k) { k.row_tiles = tiles; }});
    const auto add = [&](int warpgroups, int columns, int at_once, bool overlaps, int blocks) {
      const std::string text = concat("by ", warpgroups, " warpgroups, ", columns, " columns, ", at_once, " at once, ",
                                      overlaps ? "with" : "without", " overlap, ", blocks, " blocks");
      variants.push_back({text, true, [=](AttentionKernel& k) {
                            k.warpgroups = warpgroups, k.columns = columns, k.columns_at_once = at_once;
                            k.overlaps = overlaps, k.blocks = blocks;
                          }});
    };
    if (has_warpgroups(ordinal)) {
      ways.push_back({"by warpgroups", true});
      for (const int warpgroups : {1, 2})
        for (const int at_once : {16, 32, 64})
          for (const bool overlaps : {false, true}) add(warpgroups, 64, at_once, overlaps, 0);
      add(1, 64, 32, false, 3);
      add(2, 64, 32, false, 2);
      for (const bool overlaps : {false, true}) add(2, 128, 64, overlaps, 0);
    }
    if (what != "measure") {
      const Case cases[] = {{1, 1, 64, 64, 64, false},      {2, 3, 200, 200, 64, true},
                            {2, 2, 37, 197, 64, false},     {1, 2, 150, 37, 64, true},
                            {1, 2, 37, 150, 64, true},      {1, 1, 1, 1, 64, true},
                            {1, 2, 257, 257, 128, true},    {2, 1, 100, 70, 128, false},
                            {1, 2, 130, 130, 96, true},     {1, 2, 130, 190, 112, false},
                            {1, 2, 99, 99, 80, true},       {1, 2, 99, 199, 48, true},
                            {1, 2, 300, 300, 32, true},     {1, 3, 70, 70, 16, false},
                            {32, 12, 1024, 1024, 64, true}, {2, 3, 200, 200, 64, true, DType::f16}};
      for (const Variant& variant : ways)
        for (const Case& c : cases) is_right_everywhere = is_right(c, ordinal, variant) && is_right_everywhere;
      for (const Variant& variant : variants)
        for (const Case& c : {Case{2, 3, 333, 333, 64, true}, Case{2, 3, 150, 333, 64, true}})
          is_right_everywhere = is_right(c, ordinal, variant) && is_right_everywhere;
    }
    if (what != "check") {
      for (const Variant& variant : variants) measure({32, 12, 1024, 1024, 64, true}, ordinal, variant);
      for (const Variant& variant : ways)
        for (const Case& c : {Case{32, 12, 1024, 1024, 64, true}, Case{32, 12, 1024, 1024, 64, false},
                              Case{64, 12, 256, 256, 64, true}, Case{64, 12, 256, 197, 64, false},
                              Case{16, 16, 2048, 2048, 128, true}, Case{16, 16, 2048, 2048, 96, true}})
          measure(c, ordinal, variant);
    }
    return is_right_everywhere ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
}
