#include <weft/embed/jagged.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include <weft/jit/dynamic.h>
#include <weft/record/call.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reduction.h>

namespace weft::embed {

namespace {

using record::Call;

std::string name_of(const std::vector<std::string>& keys, std::size_t bag, std::size_t batch) {
  return keys.empty() ? concat("sample ", bag) : concat('"', keys[bag / batch], "\", sample ", bag % batch);
}

// Returns where bags end. `keys` is empty for a single feature.
std::vector<std::int64_t> ends_of(const Call& call, const std::vector<std::string>& keys,
                                  std::span<const std::int64_t> lengths, std::size_t values) {
  const std::size_t batch = keys.empty() ? lengths.size() : lengths.size() / keys.size();
  std::vector<std::int64_t> ends;
  ends.reserve(lengths.size());
  std::int64_t end = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    call.require(lengths[i] >= 0, "the length of ", name_of(keys, i, batch), " is ", lengths[i]);
    ends.push_back(end += lengths[i]);
  }
  call.require(end == static_cast<std::int64_t>(values), "the lengths sum to ", end, ", but there are ", values,
               " values");
  return ends;
}

std::vector<std::int64_t> lengths_of(const Call& call, std::span<const std::int64_t> offsets) {
  call.require(!offsets.empty() && offsets[0] == 0, "offsets begin with 0",
               offsets.empty() ? std::string() : concat(", got ", offsets[0]));
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 1; i < offsets.size(); ++i) lengths.push_back(offsets[i] - offsets[i - 1]);
  return lengths;
}

void check_weights(const Call& call, const IdWeights& weights, std::size_t values) {
  if (!weights) return;
  call.require(weights->size() == values, weights->size(), " weights for ", values, " values");
  const auto bad = std::ranges::find_if(*weights, [](float w) { return std::isnan(w); });
  call.require(bad == weights->end(), "weight ", bad - weights->begin(), " is not a number");
}

void check_keys(const Call& call, const std::vector<std::string>& keys, std::size_t lengths) {
  call.require(!keys.empty(), "there are no keys");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    call.require(!keys[i].empty() && keys[i].find(',') == std::string::npos, "key ", i,
                 " is empty or contains a comma: \"", keys[i], '"');
    call.require(std::ranges::find(keys.begin(), keys.begin() + i, keys[i]) == keys.begin() + i, "the key \"", keys[i],
                 "\" occurs twice");
  }
  call.require(lengths % keys.size() == 0, lengths, " lengths are no whole batch of ", keys.size(), " keys");
}

// Makes the tensors of values and weights, whose number may change from batch to batch.
std::pair<Tensor, Tensor> upload(std::vector<std::int64_t> values, IdWeights weights, const std::string& name,
                                 std::source_location where) {
  const std::int64_t count = std::ssize(values);
  std::pair<Tensor, Tensor> made{from_vector(std::move(values), {count}), Tensor()};
  mark_dynamic(made.first, 0, {.name = name}, where);
  if (!weights) return made;
  made.second = from_vector(*std::move(weights), {count});
  mark_dynamic(made.second, 0, {.name = name}, where);
  return made;
}

Tensor ends_of(const Tensor& lengths, const Shape& shape) {
  return reshape(cumsum(reshape(lengths, {lengths.elements()}), 0), shape);
}

Tensor offsets_of(const Tensor& ends) {
  return concatenate({zeros({1}, ends.dtype()), reshape(ends, {ends.elements()})});
}

Tensor lengths_of(const Tensor& ends) {
  const Tensor offsets = offsets_of(ends);
  return reshape(slice(offsets, 0, 1) - slice(offsets, 0, 0, ends.elements()), ends.shape());
}

}  // namespace

JaggedTensor::JaggedTensor(std::vector<std::int64_t> values, std::span<const std::int64_t> lengths, IdWeights weights,
                           std::source_location where) {
  const Call call("JaggedTensor", where);
  std::vector<std::int64_t> ends = embed::ends_of(call, {}, lengths, values.size());
  check_weights(call, weights, values.size());
  std::tie(values_, weights_) = upload(std::move(values), std::move(weights), "values", where);
  ends_ = from_vector(std::move(ends), {std::ssize(lengths)});
}

JaggedTensor JaggedTensor::from_offsets(std::vector<std::int64_t> values, std::span<const std::int64_t> offsets,
                                        IdWeights weights, std::source_location where) {
  const Call call("JaggedTensor.from_offsets", where);
  return {std::move(values), embed::lengths_of(call, offsets), std::move(weights), where};
}

JaggedTensor JaggedTensor::from_tensors(const Tensor& values, const Tensor& lengths, const Tensor& weights,
                                        std::source_location where) {
  const Call call("JaggedTensor.from_tensors", where);
  call.require(values.rank() == 1 && lengths.rank() == 1 && (!weights.defined() || weights.shape() == values.shape()),
               "expected vectors, and one weight for each value");
  JaggedTensor made;
  made.values_ = values;
  made.ends_ = embed::ends_of(lengths, lengths.shape());
  made.weights_ = weights;
  return made;
}

Tensor JaggedTensor::lengths() const { return embed::lengths_of(ends_); }

Tensor JaggedTensor::offsets() const { return offsets_of(ends_); }

KeyedJaggedTensor::KeyedJaggedTensor(std::vector<std::string> keys, std::vector<std::int64_t> values,
                                     std::span<const std::int64_t> lengths, IdWeights weights,
                                     std::source_location where)
    : keys_(std::move(keys)) {
  const Call call("KeyedJaggedTensor", where);
  check_keys(call, keys_, lengths.size());
  std::vector<std::int64_t> ends = embed::ends_of(call, keys_, lengths, values.size());
  check_weights(call, weights, values.size());
  std::tie(values_, weights_) = upload(std::move(values), std::move(weights), concat("values of ", keys_[0]), where);
  const std::int64_t count = std::ssize(keys_);
  ends_ = from_vector(std::move(ends), {count, std::ssize(lengths) / count});
}

KeyedJaggedTensor KeyedJaggedTensor::from_offsets(std::vector<std::string> keys, std::vector<std::int64_t> values,
                                                  std::span<const std::int64_t> offsets, IdWeights weights,
                                                  std::source_location where) {
  const Call call("KeyedJaggedTensor.from_offsets", where);
  return {std::move(keys), std::move(values), embed::lengths_of(call, offsets), std::move(weights), where};
}

KeyedJaggedTensor KeyedJaggedTensor::from_tensors(std::vector<std::string> keys, const Tensor& values,
                                                  const Tensor& lengths, const Tensor& weights,
                                                  std::source_location where) {
  const Call call("KeyedJaggedTensor.from_tensors", where);
  check_keys(call, keys, lengths.elements());
  call.require(values.rank() == 1 && (!weights.defined() || weights.shape() == values.shape()),
               "expected a vector of values, and one weight for each value");
  const std::int64_t count = std::ssize(keys);
  KeyedJaggedTensor made;
  made.keys_ = std::move(keys);
  made.values_ = values;
  made.ends_ = embed::ends_of(lengths, {count, lengths.elements() / count});
  made.weights_ = weights;
  return made;
}

namespace {

// Returns a number of ids with room for so many: at most an eighth more, so that batches have few different numbers. A program that is divided
// among devices is compiled for one.
std::int64_t with_padding(std::int64_t ids) {
  const int bits = std::bit_width(static_cast<std::uint64_t>(ids));
  const std::int64_t step = std::int64_t{1} << std::max(0, bits - 4);
  return (ids + step - 1) / step * step;
}

// Puts the elements of each block into its row; rows are filled with zeros. `ends` are where the bags end in `from`, by key and sample.
template <class T>
std::vector<T> in_blocks(const std::vector<T>& from, std::span<const std::int64_t> ends, std::int64_t keys,
                         std::int64_t batch, std::int64_t blocks, std::int64_t count) {
  std::vector<T> to(blocks * count);
  const std::int64_t samples = batch / blocks;
  for (std::int64_t block = 0; block < blocks; ++block) {
    auto next = to.begin() + block * count;
    for (std::int64_t key = 0; key < keys && samples > 0; ++key) {
      const std::int64_t first = key * batch + block * samples;
      next =
          std::copy(from.begin() + (first == 0 ? 0 : ends[first - 1]), from.begin() + ends[first + samples - 1], next);
    }
  }
  return to;
}

}  // namespace

KeyedJaggedTensor KeyedJaggedTensor::sharded(std::string_view axes, const Mesh& mesh,
                                             std::source_location where) const {
  const Call call("KeyedJaggedTensor.sharded", where);
  call.require(ends_.rank() == 2, "the features are in blocks already");
  const std::int64_t blocks = ir::devices_along(mesh, axes_named(mesh, axes));
  const std::int64_t keys = ends_.size(0), batch = ends_.size(1), samples = batch / blocks;
  call.require(batch % blocks == 0, "a batch of ", batch, " does not divide among ", blocks, " devices (", axes,
               "); the nearest that do are ", batch / blocks * blocks, " and ", (batch / blocks + 1) * blocks);
  const std::vector<std::int64_t> ends = ends_.to(DType::i64).to_vector<std::int64_t>();
  std::vector<std::int64_t> ends_of_blocks;
  std::int64_t count = 0;  // of the ids of a block, at most
  for (std::int64_t block = 0; block < blocks; ++block) {
    std::int64_t end = 0;
    for (std::int64_t key = 0; key < keys; ++key)
      for (std::int64_t i = key * batch + block * samples; i < key * batch + (block + 1) * samples; ++i)
        ends_of_blocks.push_back(end += ends[i] - (i == 0 ? 0 : ends[i - 1]));
    count = std::max(count, end);
  }
  count = with_padding(count);
  const PartitionSpec spec(std::vector<std::string>{std::string(axes)});
  KeyedJaggedTensor made;
  made.keys_ = keys_;
  made.values_ =
      from_vector(in_blocks(values_.to(DType::i64).to_vector<std::int64_t>(), ends, keys, batch, blocks, count),
                  {blocks, count})
          .sharded(spec, mesh, where);
  made.ends_ = from_vector(std::move(ends_of_blocks), {blocks, keys, samples}).sharded(spec, mesh, where);
  if (weights_.defined())
    made.weights_ =
        from_vector(in_blocks(weights_.to_vector<float>(), ends, keys, batch, blocks, count), {blocks, count})
            .sharded(spec, mesh, where);
  return made;
}

KeyedJaggedTensor KeyedJaggedTensor::sharded(std::string_view axes, std::source_location where) const {
  return sharded(axes, current_mesh(), where);
}

Tensor KeyedJaggedTensor::lengths(std::source_location where) const {
  Call("KeyedJaggedTensor.lengths", where).require(ends_.rank() == 2, "the features are in blocks");
  return embed::lengths_of(ends_);
}

Tensor KeyedJaggedTensor::offsets(std::source_location where) const {
  Call("KeyedJaggedTensor.offsets", where).require(ends_.rank() == 2, "the features are in blocks");
  return offsets_of(ends_);
}

}  // namespace weft::embed
