// A library with cuBLASLt's C interface, for tests without a GPU. It computes on the CPU: in the stream's turn and in the memory of the
// false driver (false_driver.h) if it is given a stream, otherwise at once. It refuses what cuBLASLt refuses. Its numbers are written down
// apart from those of weft, so that a wrong one is found.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::test {

// What the false library has been asked for since it was loaded.
struct FalseCublasLt {
  static constexpr int most_proposals = 8;

  std::atomic<int> choices = 0;   // algorithms that were chosen
  std::atomic<int> products = 0;  // that were computed
  std::atomic<int> checks = 0;    // questions whether an algorithm can be used
  std::atomic<int> objects = 0;   // descriptions, layouts and preferences that exist now
  // Of the last choice: the reduction schemes that it allowed, the alignments that it promised.
  std::atomic<std::uint64_t> schemes = 0, alignment_a = 0, alignment_b = 0, alignment_d = 0;
  std::atomic<int> last_proposal = 0;  // by which a product was computed, from 1 on

  // Tests change these: the number of proposals, how long each seems to take on a stream, the one that is refused when it is checked, and the
  // one that is refused when it is to run. 0: none.
  std::atomic<int> proposals = 1, seconds[most_proposals] = {}, refused_by_check = 0, refused_by_run = 0;
};

// Makes the false library the one that this process uses, unless tests are to use a real GPU (WEFT_TEST_GPU=1). Must be called before the
// library is first used; returns whether the false one is used.
bool use_false_cublaslt();
// Returns what the false library has been asked for.
FalseCublasLt& false_cublaslt();

}  // namespace weft::test
