// How a plan chooses its algorithm by measurement.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <weft/base/error.h>
#include <weft/base/log.h>
#include <weft/compiler/library/cuda/product_plan.h>
#include <weft/compiler/library/cuda/product_trial.h>
#include <weft/runtime/cuda/driver.h>
#include <weft/runtime/cuda/gpus.h>

namespace weft::compiler {

using cublaslt::Code;

namespace {

constexpr int most_proposals = 8;
// Another algorithm than the library's first must take at most this share of its time, since measurements are not exact.
constexpr double worthwhile_part = 0.98;

// Everything on which the speed of the algorithms and their bytes depend.
std::string choice_key(const GpuProduct& product, const GpuAlignments& alignments, const runtime::cuda::Gpu& gpu,
                       std::size_t library) {
  const auto& [a, b, residual, bias, result] = alignments;
  return concat("cuBLASLt ", library, " with the driver for CUDA ", runtime::cuda::driver().version, " on ", gpu.name,
                ", ", gpu.multiprocessors, " multiprocessors\n", key_of(product), "aligned to ", a, ' ', b, ' ',
                residual, ' ', bias, ' ', result, '\n');
}

}  // namespace

// Returns whether the library runs the algorithm for this product in the workspace that products have.
bool GpuProductPlan::accepts(const GpuAlgorithm& algorithm) const {
  cublaslt::Choice found{};
  const Code code = library_.check_algorithm(handle_, description_.get(), a_.get(), b_.get(), d_.get(), d_.get(),
                                             &algorithm.algorithm, &found);
  return code == Code::success && found.state == Code::success && found.workspace_bytes <= algorithm.workspace_bytes &&
         algorithm.workspace_bytes <= workspace_bytes;
}

GpuAlgorithm GpuProductPlan::measured_algorithm(const runtime::cuda::WorkQueue& queue,
                                                AlgorithmChoices& choices) const {
  using Choice = AlgorithmChoices::Choice;
  const runtime::cuda::Gpu& gpu = runtime::cuda::gpu(ordinal_);
  const std::string key = choice_key(product_, alignments_, gpu, library_.version());
  const auto is_accepted = [&](const Choice& choice) {
    const auto algorithm = parse_algorithm(choice.algorithm);
    return algorithm && accepts(*algorithm);
  };
  auto choice = choices.find(key);
  const bool is_known = choice && is_accepted(*choice);
  if (!is_known) {
    const auto start = std::chrono::steady_clock::now();
    const Choice measured = measure(queue);
    choice = choices.keep(key, measured, std::chrono::steady_clock::now() - start, is_accepted);
  }
  const auto algorithm = parse_algorithm(choice->algorithm);
  WEFT_ASSERT(algorithm.has_value(), "a choice of an algorithm that was accepted can be read");
  WEFT_LOG(autotuning, gpu.name, ": ", text_of(product_), ": proposal ", algorithm->place, " (", choice->told,
           is_known ? ", known)" : ")");
  return *algorithm;
}

AlgorithmChoices::Choice GpuProductPlan::measure(const runtime::cuda::WorkQueue& queue) const {
  std::vector<GpuAlgorithm> algorithms = proposals(most_proposals);
  if (algorithms.size() == 1) return {text_of(algorithms[0]), "the library has no other"};
  std::unique_ptr<const ProductTrial> trial;
  try {
    trial = std::make_unique<const ProductTrial>(product_, alignments_, workspace_bytes, queue);
  } catch (const runtime::cuda::DriverError& error) {
    if (error.is_fatal()) throw;
    WEFT_LOG(perf_hints, "the product ", text_of(product_), " keeps the library's first algorithm: ", error.what());
    return {text_of(algorithms[0]), "not measured, for want of memory"};
  }
  const GpuAddresses addresses = trial->addresses();
  if (product_.adds_bias) set_bias(description_.get(), addresses.bias);
  const auto run = [&](const GpuAlgorithm& algorithm) {
    return submit(description_.get(), algorithm, addresses, trial->workspace(), queue.stream);
  };
  // Each runs once, since the first run takes longer.
  Code last = Code::success;
  std::erase_if(algorithms, [&](const GpuAlgorithm& algorithm) {
    const Code code = run(algorithm);
    if (code != Code::success) last = code;
    return code != Code::success;
  });
  if (algorithms.empty()) check(last, "compute");
  const std::vector<double> times =
      trial->measure(algorithms.size(), [&](std::size_t i) { check(run(algorithms[i]), "compute"); });
  std::size_t chosen = 0;
  double least = worthwhile_part * times[0];
  std::string told;
  for (std::size_t i = 0; i < times.size(); ++i) {
    told += concat(i == 0 ? "" : ", ", "proposal ", algorithms[i].place, ' ', times[i], " ms");
    if (i == 0 || times[i] >= least) continue;
    chosen = i;
    least = times[i];
  }
  return {text_of(algorithms[chosen]), told};
}

}  // namespace weft::compiler
