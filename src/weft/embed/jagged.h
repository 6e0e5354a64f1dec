// Values in bags of different lengths: for each sample of a batch, the ids of a feature.
//
// Sizes and contents are checked where the data come from the host. The number of values is marked dynamic (mark_dynamic), so that a
// compiled step that takes them is compiled once, for any number.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weft/tensor/embedding.h>
#include <weft/tensor/sharding.h>
#include <weft/tensor/tensor.h>

namespace weft::embed {

// One weight for each value; or none, which is something else than weights of no values.
class IdWeights : public std::optional<std::vector<float>> {
 public:
  IdWeights() = default;
  IdWeights(std::vector<float> weights) : optional(std::move(weights)) {}                     // NOLINT
  IdWeights(std::initializer_list<float> weights) : optional(std::vector<float>(weights)) {}  // NOLINT
};

// One feature: sample s has the values between the end of the sample before it and ends[s].
class JaggedTensor {
 public:
  JaggedTensor() = default;
  // Makes it from host data. `weights`, if given, has one number for each value. Throws Error if a length is negative, if
  // the lengths do not sum to the number of values, or if a weight is not a number.
  JaggedTensor(std::vector<std::int64_t> values, std::span<const std::int64_t> lengths, IdWeights weights = {},
               std::source_location where = std::source_location::current());

  // Each begins with 0 and ends with the number of values: offsets[s] is where sample s begins.
  static JaggedTensor from_offsets(std::vector<std::int64_t> values, std::span<const std::int64_t> offsets,
                                   IdWeights weights = {},
                                   std::source_location where = std::source_location::current());
  // Makes it from tensors, which are not checked here: the launch fails if the lengths sum to more than there are values.
  static JaggedTensor from_tensors(const Tensor& values, const Tensor& lengths, const Tensor& weights = {},
                                   std::source_location where = std::source_location::current());

  const Tensor& values() const { return values_; }
  const Tensor& ends() const { return ends_; }        // [batch]
  const Tensor& weights() const { return weights_; }  // undefined if there are none
  Tensor lengths() const;                             // [batch]
  Tensor offsets() const;                             // [batch + 1]
  std::int64_t batch() const { return ends_.size(0); }

  void fields(auto&& field) {
    field("values", values_);
    field("ends", ends_);
    field("weights", weights_);
  }

 private:
  Tensor values_, ends_, weights_;
};

// Several features of one batch, key-major: the values of all samples of the first key come first. Keys are different and not empty.
// The batch may be in blocks, which devices of a mesh have: sharded().
class KeyedJaggedTensor {
 public:
  KeyedJaggedTensor() = default;
  // Makes it from host data; lengths are [keys * batch], all of the first key first. Throws Error as JaggedTensor does, naming key and
  // sample, and if the keys do not divide the number of lengths.
  KeyedJaggedTensor(std::vector<std::string> keys, std::vector<std::int64_t> values,
                    std::span<const std::int64_t> lengths, IdWeights weights = {},
                    std::source_location where = std::source_location::current());

  static KeyedJaggedTensor from_offsets(std::vector<std::string> keys, std::vector<std::int64_t> values,
                                        std::span<const std::int64_t> offsets, IdWeights weights = {},
                                        std::source_location where = std::source_location::current());
  // Lengths [keys, batch] or [keys * batch].
  static KeyedJaggedTensor from_tensors(std::vector<std::string> keys, const Tensor& values, const Tensor& lengths,
                                        const Tensor& weights = {},
                                        std::source_location where = std::source_location::current());

  // The same features, of which each device along some axes of a mesh has the bags of its part of the batch; for data that come from the
  // host, which are read. Ids are padded by at most an eighth, so that few different programs are compiled. Throws Error if the batch does not divide, and for features that are in blocks already.
  KeyedJaggedTensor sharded(std::string_view axes, const Mesh& mesh,
                            std::source_location where = std::source_location::current()) const;
  KeyedJaggedTensor sharded(std::string_view axes, std::source_location where = std::source_location::current()) const;

  const std::vector<std::string>& keys() const { return keys_; }
  const Tensor& values() const { return values_; }  // [n], or [blocks, n]: behind the last end of each block is padding
  const Tensor& ends() const { return ends_; }      // [keys, batch], or [blocks, keys, samples]: in the block
  const Tensor& weights() const { return weights_; }  // undefined if there are none
  // For features that are not in blocks; others throw Error.
  Tensor lengths(std::source_location where = std::source_location::current()) const;  // [keys, batch]
  Tensor offsets(std::source_location where = std::source_location::current()) const;  // [keys * batch + 1]
  std::int64_t batch() const { return ends_.rank() == 3 ? ends_.size(0) * ends_.size(2) : ends_.size(1); }
  Bags bags() const { return {values_, ends_, weights_}; }

  void fields(auto&& field) {
    field("keys", keys_);
    field("values", values_);
    field("ends", ends_);
    field("weights", weights_);
  }

 private:
  std::vector<std::string> keys_;
  Tensor values_, ends_, weights_;
};

}  // namespace weft::embed
