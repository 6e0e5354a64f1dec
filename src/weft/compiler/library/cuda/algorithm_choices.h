// The algorithms that measurements chose for products, and where they are kept beyond the process. A choice decides the order in which sums
// are added, so a product must get the same one in each run.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include <weft/compiler/library/cuda/cublaslt.h>

namespace weft::compiler {

struct GpuAlgorithm {
  cublaslt::Algorithm algorithm{};
  std::size_t workspace_bytes = 0;
  int place = 1;  // among the library's proposals
};

// Returns "proposal 3, " and the bytes of the algorithm and of the size of its workspace as hexadecimal digits.
std::string text_of(const GpuAlgorithm& algorithm);
// Returns nullopt if the text is not that of an algorithm.
std::optional<GpuAlgorithm> parse_algorithm(const std::string& text);

// Keeps choices by what they were made for. Thread-safe.
class AlgorithmChoices {
 public:
  struct Choice {
    std::string algorithm;  // its text
    std::string told;       // "proposal 1 0.31 ms, proposal 3 0.27 ms"
  };

  virtual ~AlgorithmChoices() = default;
  virtual std::optional<Choice> find(const std::string& key) = 0;
  // Keeps a choice that took `measured_in`, unless another thread or process was faster and kept one that `accepts` takes. Returns the one
  // that is kept.
  virtual Choice keep(const std::string& key, const Choice& choice, std::chrono::nanoseconds measured_in,
                      const std::function<bool(const Choice&)>& accepts) = 0;
};

}  // namespace weft::compiler
