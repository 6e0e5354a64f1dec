// The length to which the sequences of a batch are padded. Fewer different lengths need fewer programs if shapes are
// static; less padding wastes less computation.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include <weft/base/bucketing.h>
#include <weft/base/error.h>

namespace weft::data {

// A rule for the padded length. Immutable.
class PaddingPolicy {
 public:
  static PaddingPolicy longest() { return multiple_of(1); }  // the longest sequence of the batch
  // The longest sequence of the batch, rounded up.
  static PaddingPolicy multiple_of(std::int64_t multiple) {
    require(multiple > 0, "PaddingPolicy::multiple_of: the multiple must be positive, got ", multiple);
    return PaddingPolicy(multiple);
  }
  // The smallest bucket that holds the longest sequence of the batch.
  static PaddingPolicy buckets(Bucketing sizes) { return PaddingPolicy(std::move(sizes)); }
  static PaddingPolicy fixed(std::int64_t length) { return buckets({length}); }

  // Returns the padded length for a batch whose longest sequence has this length. Throws Error, which names both
  // lengths, if the largest bucket is too small.
  std::int64_t length_for(std::int64_t longest) const {
    if (const Bucketing* sizes = buckets()) return sizes->size_for(longest);
    const std::int64_t multiple = std::get<std::int64_t>(rule_);
    return (longest + multiple - 1) / multiple * multiple;
  }

  // Returns the possible lengths if there are only these few; else null.
  const Bucketing* buckets() const { return std::get_if<Bucketing>(&rule_); }

 private:
  explicit PaddingPolicy(std::variant<std::int64_t, Bucketing> rule) : rule_(std::move(rule)) {}

  std::variant<std::int64_t, Bucketing> rule_;
};

}  // namespace weft::data
