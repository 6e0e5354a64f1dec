// A library with cuBLASLt's C interface that computes in host memory, for tests without a GPU. It refuses what cuBLASLt refuses. Its
// numbers are written down apart from those of weft, so that a wrong one is found.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::test {

// What the false library has been asked for since it was loaded.
struct FalseCublasLt {
  std::atomic<int> choices = 0;   // algorithms that were chosen
  std::atomic<int> products = 0;  // that were computed
  std::atomic<int> objects = 0;   // descriptions, layouts and preferences that exist now
  // Of the last choice: the reduction schemes that it allowed, the alignments that it promised.
  std::atomic<std::uint64_t> schemes = 0, alignment_a = 0, alignment_b = 0, alignment_d = 0;
};

// The name of a function of the library that returns the address of its FalseCublasLt.
inline constexpr const char* false_cublaslt_function = "false_cublaslt";

}  // namespace weft::test
