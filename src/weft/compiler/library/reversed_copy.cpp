#include <weft/compiler/library/reversed_copy.h>

#include <algorithm>
#include <cstring>

namespace weft::compiler {

ReversedCopy::ReversedCopy(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides,
                           const std::vector<bool>& reversed, std::int64_t width)
    : run_bytes_(width) {
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] != 1) dims_.push_back({sizes[d], strides[d] * width, reversed[d]});
  std::ranges::sort(dims_, std::greater{}, &Dim::step);
  while (!dims_.empty() && !dims_.back().reversed && dims_.back().step == run_bytes_) {
    run_bytes_ *= dims_.back().size;
    dims_.pop_back();
  }
}

void ReversedCopy::run(const std::byte* from, std::byte* to) const { copy(0, from, to); }

void ReversedCopy::copy(std::size_t d, const std::byte* from, std::byte* to) const {
  if (d == dims_.size()) {
    std::memcpy(to, from, run_bytes_);
    return;
  }
  const Dim& dim = dims_[d];
  for (std::int64_t i = 0; i < dim.size; ++i)
    copy(d + 1, from + (dim.reversed ? dim.size - 1 - i : i) * dim.step, to + i * dim.step);
}

}  // namespace weft::compiler
