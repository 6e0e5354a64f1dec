#include <weft/compiler/library/mirror.h>

#include <algorithm>
#include <cstring>

namespace weft::compiler {

Mirror::Mirror(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides,
               const std::vector<bool>& turned, std::int64_t width)
    : run_bytes_(width) {
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] != 1) dims_.push_back({sizes[d], strides[d] * width, turned[d]});
  std::ranges::sort(dims_, std::greater{}, &Dim::step);
  while (!dims_.empty() && !dims_.back().turned && dims_.back().step == run_bytes_) {
    run_bytes_ *= dims_.back().size;
    dims_.pop_back();
  }
}

void Mirror::run(const std::byte* from, std::byte* to) const { copy(0, from, to); }

void Mirror::copy(std::size_t d, const std::byte* from, std::byte* to) const {
  if (d == dims_.size()) {
    std::memcpy(to, from, static_cast<std::size_t>(run_bytes_));
    return;
  }
  const Dim& dim = dims_[d];
  for (std::int64_t i = 0; i < dim.size; ++i)
    copy(d + 1, from + (dim.turned ? dim.size - 1 - i : i) * dim.step, to + i * dim.step);
}

}  // namespace weft::compiler
