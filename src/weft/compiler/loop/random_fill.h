// The kernel with which a GPU fills a tensor with random bits, as the generators of base/random.h define them: void f(ptr state, ptr bits,
// ptr next state, i64 blocks, i64 elements, i64 inner, i64 size). A thread computes one block. `inner` and `size` say how Threefry's pairs
// lie in the tensor: Threefry::inner_size() and halved_size().
#pragma once

#include <cstdint>

#include <weft/compiler/loop/gpu_grid.h>

namespace weft::compiler {

struct RandomFill {
  bool threefry = false;  // otherwise Philox
  int bytes = 4;          // of an element
  int state_words = 2;
};

inline constexpr int random_fill_threads = 256;

// The first thread writes the next state, also where there is nothing to fill.
inline GpuGrid random_fill_grid(std::int64_t blocks) {
  return {.form = GpuForm::elements,
          .blocks_x = static_cast<std::uint32_t>(blocks / random_fill_threads + 1),
          .threads_x = random_fill_threads};
}

}  // namespace weft::compiler
