// Where the elements of a sliding window fall, one dimension at a time.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/ir/ops/window.h>

namespace weft::compiler {

// Element `window` of the window lies on element `base` of the operand.
struct Tap {
  std::int64_t base, window;
};

// Returns for each position of the window the elements that lie inside, in the order of the window.
inline std::vector<std::vector<Tap>> window_taps(const ir::WindowDim& w, std::int64_t base_size,
                                                 std::int64_t positions) {
  std::vector<std::vector<Tap>> taps(positions);
  for (std::int64_t position = 0; position < positions; ++position) {
    for (std::int64_t k = 0; k < w.size; ++k) {
      const std::int64_t dilated = position * w.stride - w.low + k * w.dilation;
      if (dilated < 0 || dilated % w.base_dilation != 0 || dilated / w.base_dilation >= base_size) continue;
      taps[position].push_back({dilated / w.base_dilation, w.reversed ? w.size - 1 - k : k});
    }
  }
  return taps;
}

}  // namespace weft::compiler
