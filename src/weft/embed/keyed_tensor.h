// Pooled rows by key: [batch, sum of the widths], where each key has neighbouring columns.
#pragma once

#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weft/tensor/tensor.h>

namespace weft::embed {

class KeyedTensor {
 public:
  KeyedTensor() = default;
  // Throws Error if the widths do not sum to the columns of `values`, or if a key occurs twice.
  KeyedTensor(std::vector<std::string> keys, std::vector<std::int64_t> widths, Tensor values,
              std::source_location where = std::source_location::current());

  const std::vector<std::string>& keys() const { return keys_; }
  const std::vector<std::int64_t>& widths() const { return widths_; }
  const Tensor& values() const { return values_; }
  // Returns the columns of a key. Throws Error for an unknown one, listing the keys.
  Tensor at(std::string_view key, std::source_location where = std::source_location::current()) const;

  void fields(auto&& field) {
    field("keys", keys_);
    field("widths", widths_);
    field("values", values_);
  }

 private:
  std::vector<std::string> keys_;
  std::vector<std::int64_t> widths_;
  Tensor values_;
};

// Returns for each group the columns of its keys, which may be in any of the tensors, side by side. Throws Error for a key that is in none
// of them, or in several.
std::vector<Tensor> regroup(std::span<const KeyedTensor> tensors, std::span<const std::vector<std::string>> groups,
                            std::source_location where = std::source_location::current());

}  // namespace weft::embed
