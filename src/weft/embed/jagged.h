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
#include <string_view>
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

// One feature: sample s has the values from begins[s] to ends[s]. Values are ids, or rows of numbers. If it was taken from the features of
// a batch, values of other features stand before and behind, samples may share values, and the batch may be in blocks.
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

  // Makes it of parts of values, which are not checked: [n] or [n, width] with [batch], or in blocks [blocks, n, ...] with [blocks,
  // samples], where begins and ends count within the block.
  static JaggedTensor of_parts(const Tensor& values, const Tensor& begins, const Tensor& ends,
                               const Tensor& weights = {});

  const Tensor& values() const { return values_; }
  Tensor begins() const;                              // [batch], or [blocks, samples]
  const Tensor& ends() const { return ends_; }        // the same
  const Tensor& weights() const { return weights_; }  // undefined if there are none
  Tensor lengths() const;                             // as ends
  // [batch + 1]; throws Error if values of other features may stand between those of the samples.
  Tensor offsets(std::source_location where = std::source_location::current()) const;
  std::int64_t batch() const { return ends_.rank() == 2 ? ends_.size(0) * ends_.size(1) : ends_.size(0); }
  // Returns a matrix for each sample, [batch, most, width]: at most its first `most` rows of numbers, then zeros. Throws Error if values
  // are ids.
  Tensor padded(std::int64_t most, std::source_location where = std::source_location::current()) const;

  void fields(auto&& field) {
    field("values", values_);
    field("begins", begins_);
    field("ends", ends_);
    field("weights", weights_);
  }

 private:
  Tensor values_, begins_, ends_, weights_;  // begins_: undefined if each sample begins where the one before ends
};

struct ShardedFeatures {
  // The room for ids on each device, of which the rest is padding. A program is compiled for one room, so all batches with the same share
  // one. 0: what the batch needs, and at most an eighth more, so that batches of similar size do.
  std::int64_t most_ids = 0;
};

// Several features of one batch, key-major: the values of all samples of the first key come first. Keys are different and not empty.
// The batch may be in blocks, which devices of a mesh have: sharded(). Samples may share bags, as many of them have the same ids of some
// feature: with_shared_bags().
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

  // For features of which many samples have the same ids, so that each bag is given and looked up once (TorchRec's variable batch size by
  // feature): key k has bags_of_keys[k] bags, all of the first key first, with `lengths` and their values. `bags` [keys * batch] says which
  // of the bags of its key each sample has. Throws Error as the constructor does, and for a bag that there is not.
  static KeyedJaggedTensor with_shared_bags(std::vector<std::string> keys, std::vector<std::int64_t> values,
                                            std::span<const std::int64_t> lengths,
                                            std::span<const std::int64_t> bags_of_keys,
                                            std::span<const std::int64_t> bags, IdWeights weights = {},
                                            std::source_location where = std::source_location::current());

  // The same features, of which each device along some axes of a mesh has the bags of its part of the batch; for data that come from the
  // host, which are read. Throws Error if the batch does not divide, for features that are in blocks already, and if a device has more ids
  // than there is room for.
  KeyedJaggedTensor sharded(std::string_view axes, const Mesh& mesh, const ShardedFeatures& options = {},
                            std::source_location where = std::source_location::current()) const;
  KeyedJaggedTensor sharded(std::string_view axes, const ShardedFeatures& options = {},
                            std::source_location where = std::source_location::current()) const;

  const std::vector<std::string>& keys() const { return keys_; }
  const Tensor& values() const { return values_; }  // [n], or [blocks, n]: behind the last end of each block is padding
  // [keys, batch], or [blocks, keys, samples]: in the block. If bags are shared, as many columns as the key with most of them has bags.
  const Tensor& ends() const { return ends_; }
  // Which bag each sample has: [keys, batch] or [blocks, keys, samples]; undefined if bags are not shared, so that sample s has bag s.
  const Tensor& bags_of_samples() const { return bags_of_samples_; }
  const Tensor& weights() const { return weights_; }  // undefined if there are none
  // Both count bags, and throw Error for features in blocks.
  Tensor lengths(std::source_location where = std::source_location::current()) const;  // [keys, batch]
  Tensor offsets(std::source_location where = std::source_location::current()) const;  // [keys * batch + 1]
  std::int64_t batch() const {
    const Tensor& samples = bags_of_samples_.defined() ? bags_of_samples_ : ends_;
    return samples.rank() == 3 ? samples.size(0) * samples.size(2) : samples.size(1);
  }
  // The same features with other ids, one for each id. Throws Error for another number, or for features in blocks.
  KeyedJaggedTensor with_values(std::vector<std::int64_t> values,
                                std::source_location where = std::source_location::current()) const;
  // The same features with other weights, one for each id.
  KeyedJaggedTensor with_weights(const Tensor& weights,
                                 std::source_location where = std::source_location::current()) const;
  // Returns one feature. Throws Error for an unknown key, listing the keys.
  JaggedTensor at(std::string_view key, std::source_location where = std::source_location::current()) const;
  Bags bags() const { return {values_, ends_, weights_}; }

  void fields(auto&& field) {
    field("keys", keys_);
    field("values", values_);
    field("ends", ends_);
    field("weights", weights_);
    field("bags_of_samples", bags_of_samples_);
  }

 private:
  std::vector<std::string> keys_;
  Tensor values_, ends_, weights_, bags_of_samples_;
};

// Returns where the bags of the key with this number begin: [bags], or [blocks, bags].
Tensor begins_of_bags(const KeyedJaggedTensor& features, std::int64_t key);
// Returns the part of the values that belongs to the key with this number; `values` may be rows, one for each id of the features.
JaggedTensor part_of(const KeyedJaggedTensor& features, std::int64_t key, const Tensor& values,
                     const Tensor& weights = {});

}  // namespace weft::embed
