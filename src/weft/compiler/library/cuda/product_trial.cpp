#include <weft/compiler/library/cuda/product_trial.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <random>

#include <weft/base/convert.h>
#include <weft/compiler/library/cuda/product_plan.h>
#include <weft/runtime/cuda/gpu_memory.h>
#include <weft/runtime/cuda/gpus.h>

namespace weft::compiler {

using runtime::cuda::as_address;
using runtime::cuda::as_pointer;
using runtime::cuda::check;
using runtime::cuda::driver;

namespace {

// The GPU's memory repeats these numbers.
constexpr std::int64_t most_numbers = 1 << 18;

std::vector<std::byte> random_numbers(std::int64_t count, DType dtype) {
  std::vector<std::byte> bytes(count * byte_size(dtype));
  std::minstd_rand generator;
  std::uniform_real_distribution<float> uniform(-1, 1);
  visit(dtype, [&]<class T>(T) {
    if constexpr (is_float_type<T>) {
      auto* const numbers = reinterpret_cast<T*>(bytes.data());
      std::generate(numbers, numbers + count, [&] { return static_cast<T>(uniform(generator)); });
    }
  });
  return bytes;
}

// Returns how many elements a batch of matrices covers.
std::int64_t extent(const GpuMatrix& matrix, std::int64_t batch) {
  return (batch - 1) * matrix.batch_stride + (matrix.columns - 1) * matrix.leading + matrix.rows;
}

// A moment in a stream.
class Mark {
 public:
  explicit Mark(runtime::cuda::CUstream stream) {
    check(driver().cuEventCreate(&event_, 0), "cuEventCreate");
    const runtime::cuda::CUresult recorded = driver().cuEventRecord(event_, stream);
    if (recorded != runtime::cuda::success) driver().cuEventDestroy(event_);
    check(recorded, "cuEventRecord");
  }
  ~Mark() { driver().cuEventDestroy(event_); }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

  // Both must be past.
  double milliseconds_since(const Mark& earlier) const {
    float milliseconds = 0;
    check(driver().cuEventElapsedTime(&milliseconds, earlier.event_, event_), "cuEventElapsedTime");
    return milliseconds;
  }

 private:
  runtime::cuda::CUevent event_ = nullptr;
};

}  // namespace

ProductTrial::ProductTrial(const GpuProduct& product, const GpuAlignments& alignments, std::size_t workspace_bytes,
                           const runtime::cuda::WorkQueue& queue)
    : queue_(queue), blocks_(queue) {
  const std::int64_t results = extent(product.d, product.batch);
  a_ = blocks_.filled(extent(product.a, product.batch), product.operands, alignments.a);
  b_ = blocks_.filled(extent(product.b, product.batch), product.operands, alignments.b);
  if (product.adds_residual) residual_ = blocks_.filled(results, product.result, alignments.residual);
  if (product.adds_bias) bias_ = blocks_.filled(product.d.rows, product.result, alignments.bias);
  result_ = blocks_.allocate(results * byte_size(product.result), alignments.result);
  workspace_ = blocks_.allocate(workspace_bytes, GpuProductPlan::workspace_alignment);
}

ProductTrial::Blocks::~Blocks() {
  runtime::cuda::release_on(queue_.ordinal, [&](const runtime::cuda::Driver& gpu) {
    gpu.cuStreamSynchronize(queue_.stream);
    for (const auto block : blocks_) gpu.cuMemFree(block);
  });
}

GpuAddresses ProductTrial::addresses() const {
  return {.a = a_, .b = b_, .residual = residual_, .bias = bias_, .result = result_};
}

std::byte* ProductTrial::Blocks::allocate(std::uint64_t bytes, std::uint32_t alignment) {
  constexpr std::uint32_t of_blocks = 256;
  const std::uint32_t offset = alignment % of_blocks;
  runtime::cuda::CUdeviceptr block = 0;
  check(driver().cuMemAlloc(&block, bytes + offset), "cuMemAlloc for a trial of a product");
  blocks_.push_back(block);
  return as_pointer(block + offset);
}

std::byte* ProductTrial::Blocks::filled(std::int64_t elements, DType dtype, std::uint32_t alignment) {
  const std::uint64_t bytes = elements * byte_size(dtype);
  std::byte* const to = allocate(bytes, alignment);
  const std::vector<std::byte> numbers = random_numbers(std::min(elements, most_numbers), dtype);
  check(driver().cuMemcpyHtoDAsync(as_address(to), numbers.data(), numbers.size(), queue_.stream), "cuMemcpyHtoDAsync");
  for (std::uint64_t done = numbers.size(); done < bytes;) {
    const std::uint64_t more = std::min(done, bytes - done);
    check(driver().cuMemcpyDtoDAsync(as_address(to) + done, as_address(to), more, queue_.stream), "cuMemcpyDtoDAsync");
    done += more;
  }
  check(driver().cuStreamSynchronize(queue_.stream), "cuStreamSynchronize");  // numbers is read until then
  return to;
}

std::vector<double> ProductTrial::measure(std::size_t ways, const std::function<void(std::size_t)>& run) const {
  // A short product is repeated, so that the time of an event, about a microsecond, does not count.
  constexpr double enough_ms = 0.2;
  constexpr int rounds = 5, most_repeats = 20;
  int repeats = 1;
  // Returns the time of one run of each way. All is submitted before the first one has run, so that the GPU does not wait for the host.
  const auto round = [&] {
    run(0);
    std::vector<std::unique_ptr<const Mark>> marks;
    marks.push_back(std::make_unique<const Mark>(queue_.stream));
    for (std::size_t i = 0; i < ways; ++i) {
      for (int repeat = 0; repeat < repeats; ++repeat) run(i);
      marks.push_back(std::make_unique<const Mark>(queue_.stream));
    }
    check(driver().cuStreamSynchronize(queue_.stream), "cuStreamSynchronize");
    std::vector<double> times;
    for (std::size_t i = 0; i < ways; ++i) times.push_back(marks[i + 1]->milliseconds_since(*marks[i]) / repeats);
    return times;
  };
  const double first = round()[0];
  repeats = static_cast<int>(std::clamp(enough_ms / std::max(first, 1e-6), 1.0, double{most_repeats}));
  std::vector<double> least(ways, std::numeric_limits<double>::infinity());
  for (int i = 0; i < rounds; ++i)
    std::ranges::transform(least, round(), least.begin(), [](double a, double b) { return std::min(a, b); });
  return least;
}

}  // namespace weft::compiler
