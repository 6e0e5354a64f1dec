#include <weft/base/bucketing.h>

#include <algorithm>
#include <utility>

#include <weft/base/error.h>

namespace weft {

Bucketing::Bucketing(std::vector<std::int64_t> sizes) : sizes_(std::move(sizes)) {
  require(!sizes_.empty(), "Bucketing: expected at least one size");
  require(sizes_[0] > 0, "Bucketing: sizes must be positive, got ", sizes_[0]);
  for (std::size_t i = 1; i < sizes_.size(); ++i)
    require(sizes_[i - 1] < sizes_[i], "Bucketing: every size must be greater than the one before, got ", sizes_[i],
            " behind ", sizes_[i - 1]);
}

bool Bucketing::contains(std::int64_t size) const { return std::ranges::binary_search(sizes_, size); }

std::int64_t Bucketing::size_for(std::int64_t length) const {
  require(length <= largest(), "Bucketing: a length of ", length, " is more than the largest bucket, ", largest());
  return *std::ranges::lower_bound(sizes_, length);
}

std::string Bucketing::text() const {
  std::string all;
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    all += concat(i == 0 ? "" : i + 1 == sizes_.size() ? " or " : ", ", sizes_[i]);
  return all;
}

}  // namespace weft
