// A few sizes instead of many: what is shorter than a bucket is padded up to it, so that a program for each bucket serves every
// length. (Bucketing of the data pipelines of TensorFlow and of torch.compile's users.)
//
//   const Bucketing lengths{32, 64, 128};
//   lengths.size_for(40);  // 64
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace weft {

// Immutable.
class Bucketing {
 public:
  // At least one size, positive, each greater than the one before. Throws Error else.
  Bucketing(std::initializer_list<std::int64_t> sizes) : Bucketing(std::vector<std::int64_t>(sizes)) {}
  explicit Bucketing(std::vector<std::int64_t> sizes);

  std::span<const std::int64_t> sizes() const { return sizes_; }
  std::int64_t largest() const { return sizes_.back(); }
  bool contains(std::int64_t size) const;

  // The smallest bucket that holds `length`. Throws Error, which names both, if the largest is too small for it.
  std::int64_t size_for(std::int64_t length) const;

  std::string text() const;  // 32, 64 or 128
  friend bool operator==(const Bucketing&, const Bucketing&) = default;

 private:
  std::vector<std::int64_t> sizes_;
};

}  // namespace weft
