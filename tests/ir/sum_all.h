// A sum that the tests of gradients share.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/ir/ops.h>

namespace weft::ir {

inline Value sum_all(Value x) {
  std::vector<std::int64_t> all;
  for (int d = 0; d < x.rank(); ++d) all.push_back(d);
  return reduce_sum(x, all);
}

}  // namespace weft::ir
