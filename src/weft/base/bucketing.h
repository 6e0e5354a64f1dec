// Bucketing pads lengths to a few sizes: a length is padded up to the next bucket, so that one program per bucket serves all
// lengths. (The bucketing of TensorFlow's data pipelines and of torch.compile's users.)
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
  // Throws Error unless there is at least one size, all are positive, and each is greater than the one before.
  Bucketing(std::initializer_list<std::int64_t> sizes) : Bucketing(std::vector<std::int64_t>(sizes)) {}
  explicit Bucketing(std::vector<std::int64_t> sizes);

  std::span<const std::int64_t> sizes() const { return sizes_; }
  std::int64_t largest() const { return sizes_.back(); }
  bool contains(std::int64_t size) const;

  // Returns the smallest bucket that holds `length`. Throws an Error that names both if even the largest is too small.
  std::int64_t size_for(std::int64_t length) const;

  std::string text() const;  // 32, 64 or 128
  friend bool operator==(const Bucketing&, const Bucketing&) = default;

 private:
  std::vector<std::int64_t> sizes_;
};

}  // namespace weft
