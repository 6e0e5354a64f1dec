#include <weft/embed/jagged.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <tuple>

#include <weft/embed/table_configs.h>
#include <weft/jit/dynamic.h>
#include <weft/record/call.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/indexing.h>
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

JaggedTensor JaggedTensor::of_parts(const Tensor& values, const Tensor& begins, const Tensor& ends,
                                    const Tensor& weights) {
  JaggedTensor made;
  made.values_ = values;
  made.begins_ = begins;
  made.ends_ = ends;
  made.weights_ = weights;
  return made;
}

Tensor JaggedTensor::begins() const {
  if (begins_.defined()) return begins_;
  const Tensor all = offsets_of(ends_);
  return slice(all, 0, 0, -1);
}

Tensor JaggedTensor::lengths() const { return begins_.defined() ? ends_ - begins_ : embed::lengths_of(ends_); }

Tensor JaggedTensor::offsets(std::source_location where) const {
  Call("JaggedTensor.offsets", where)
      .require(!begins_.defined(),
               "it was taken from several features, so other values stand between its own: use begins and ends");
  return offsets_of(ends_);
}

Tensor JaggedTensor::padded(std::int64_t most, std::source_location where) const {
  const Call call("JaggedTensor.padded", where);
  call.require(values_.rank() == ends_.rank() + 1, "expected rows [n, width], got values of ", values_.type());
  const Tensor rows = padded_rows(values_, begins(), lengths(), most, where);
  return rows.rank() == 3 ? rows : flatten(rows, 0, 1);
}

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

KeyedJaggedTensor KeyedJaggedTensor::with_shared_bags(std::vector<std::string> keys, std::vector<std::int64_t> values,
                                                      std::span<const std::int64_t> lengths,
                                                      std::span<const std::int64_t> bags_of_keys,
                                                      std::span<const std::int64_t> bags, IdWeights weights,
                                                      std::source_location where) {
  const Call call("KeyedJaggedTensor.with_shared_bags", where);
  check_keys(call, keys, bags.size());
  const std::int64_t count = std::ssize(keys), batch = std::ssize(bags) / count;
  call.require(std::ssize(bags_of_keys) == count, "numbers of bags are given for ", bags_of_keys.size(), " of ", count,
               " keys");
  std::int64_t all = 0, most = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    call.require(bags_of_keys[k] >= 0, "the number of bags of \"", keys[k], "\" is ", bags_of_keys[k]);
    all += bags_of_keys[k];
    most = std::max(most, bags_of_keys[k]);
    for (std::int64_t s = 0; s < batch; ++s)
      call.require(bags[k * batch + s] >= 0 && bags[k * batch + s] < bags_of_keys[k], '"', keys[k], "\", sample ", s,
                   ", has the bag ", bags[k * batch + s], "; there are ", bags_of_keys[k]);
  }
  call.require(std::ssize(lengths) == all, lengths.size(), " lengths for ", all, " bags");
  std::vector<std::int64_t> padded;  // with empty bags, so that all keys have as many
  for (std::int64_t k = 0, next = 0; k < count; next += bags_of_keys[k++]) {
    padded.insert(padded.end(), lengths.begin() + next, lengths.begin() + next + bags_of_keys[k]);
    padded.resize((k + 1) * most);
  }
  KeyedJaggedTensor made(std::move(keys), std::move(values), padded, std::move(weights), where);
  mark_dynamic(made.ends_, 1, {.name = concat("bags of ", made.keys_[0])}, where);
  made.bags_of_samples_ = from_vector(std::vector<std::int64_t>(bags.begin(), bags.end()), {count, batch});
  return made;
}

KeyedJaggedTensor KeyedJaggedTensor::with_values(std::vector<std::int64_t> values, std::source_location where) const {
  const Call call("KeyedJaggedTensor.with_values", where);
  call.require(ends_.rank() == 2, "the features are in blocks");
  call.require(std::ssize(values) == values_.elements(), values.size(), " values for ", values_.elements(), " ids");
  KeyedJaggedTensor made = *this;
  made.values_ = upload(std::move(values), {}, concat("values of ", keys_[0]), where).first;
  return made;
}

KeyedJaggedTensor KeyedJaggedTensor::with_weights(const Tensor& weights, std::source_location where) const {
  Call("KeyedJaggedTensor.with_weights", where)
      .require(weights.shape() == values_.shape(), "expected one weight for each of the ids ", values_.type(), ", got ",
               weights.type());
  KeyedJaggedTensor made = *this;
  made.weights_ = weights;
  return made;
}

Tensor begins_of_bags(const KeyedJaggedTensor& features, std::int64_t key) {
  const Tensor& ends = features.ends();
  const int keys = ends.rank() - 2, bags = ends.rank() - 1;
  const Tensor own = select(ends, keys, key);
  const Tensor first = key == 0 ? zeros_like(slice(own, bags - 1, 0, 1))
                                : slice(select(ends, keys, key - 1), bags - 1, -1);  // where the key before ends
  return concatenate({first, slice(own, bags - 1, 0, -1)}, bags - 1);
}

JaggedTensor part_of(const KeyedJaggedTensor& features, std::int64_t key, const Tensor& values, const Tensor& weights) {
  const Tensor& all = features.ends();
  Tensor begins = begins_of_bags(features, key), ends = select(all, all.rank() - 2, key);
  if (const Tensor& bags = features.bags_of_samples(); bags.defined()) {
    const Tensor own = select(bags, bags.rank() - 2, key);
    begins = gather(begins, -1, own);
    ends = gather(ends, -1, own);
  }
  return JaggedTensor::of_parts(values, begins, ends, weights);
}

JaggedTensor KeyedJaggedTensor::at(std::string_view key, std::source_location where) const {
  const Call call("KeyedJaggedTensor.at", where);
  const auto found = std::ranges::find(keys_, key);
  call.require(found != keys_.end(), "there is no key \"", key, "\" among ", detail::joined(keys_));
  return part_of(*this, found - keys_.begin(), values_, weights_);
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

// Returns a number of ids with room for so many: at most an eighth more, so that batches have few different numbers. A program that is
// divided among devices is compiled for one.
std::int64_t with_padding(std::int64_t ids) {
  const int bits = std::bit_width(static_cast<std::uint64_t>(ids));
  const std::int64_t step = std::int64_t{1} << std::max(0, bits - 4);
  return (ids + step - 1) / step * step;
}

// Which bags each block has: for each block and key, numbers of bags among all.
using BagsOfBlocks = std::vector<std::vector<std::int64_t>>;

BagsOfBlocks bags_of_blocks(std::int64_t blocks, std::int64_t keys, std::int64_t batch) {
  BagsOfBlocks all;
  for (std::int64_t block = 0; block < blocks; ++block)
    for (std::int64_t key = 0; key < keys; ++key) {
      std::vector<std::int64_t>& bags = all.emplace_back(batch / blocks);
      std::iota(bags.begin(), bags.end(), key * batch + block * (batch / blocks));
    }
  return all;
}

// The same for shared bags: a block has the bags of its samples, each once. `of_samples` [keys, batch] becomes [blocks, keys, samples],
// with numbers among the bags that the block has of the key.
BagsOfBlocks shared_bags_of_blocks(std::int64_t blocks, std::int64_t keys, std::int64_t batch, std::int64_t bags_of_key,
                                   std::vector<std::int64_t>& of_samples) {
  BagsOfBlocks all;
  std::vector<std::int64_t> in_blocks;
  for (std::int64_t block = 0; block < blocks; ++block)
    for (std::int64_t key = 0; key < keys; ++key) {
      std::vector<std::int64_t>& bags = all.emplace_back();
      std::vector<std::int64_t> number(bags_of_key, -1);  // of each bag of the key in this block
      for (std::int64_t s = block * (batch / blocks); s < (block + 1) * (batch / blocks); ++s) {
        std::int64_t& own = number[of_samples[key * batch + s]];
        if (own < 0) {
          own = std::ssize(bags);
          bags.push_back(key * bags_of_key + of_samples[key * batch + s]);
        }
        in_blocks.push_back(own);
      }
    }
  of_samples = std::move(in_blocks);
  return all;
}

// Puts the elements of the bags of each block into its row; rows are filled with zeros. `ends` are where the bags end in `from`.
template <class T>
std::vector<T> in_blocks(const std::vector<T>& from, std::span<const std::int64_t> ends, const BagsOfBlocks& bags,
                         std::int64_t blocks, std::int64_t count) {
  std::vector<T> to(blocks * count);
  const std::int64_t keys = std::ssize(bags) / blocks;
  for (std::int64_t block = 0; block < blocks; ++block) {
    auto next = to.begin() + block * count;
    for (std::int64_t key = 0; key < keys; ++key)
      for (const std::int64_t bag : bags[block * keys + key])
        next = std::copy(from.begin() + (bag == 0 ? 0 : ends[bag - 1]), from.begin() + ends[bag], next);
  }
  return to;
}

}  // namespace

KeyedJaggedTensor KeyedJaggedTensor::sharded(std::string_view axes, const Mesh& mesh, const ShardedFeatures& options,
                                             std::source_location where) const {
  const Call call("KeyedJaggedTensor.sharded", where);
  call.require(ends_.rank() == 2, "the features are in blocks already");
  const std::int64_t blocks = ir::devices_along(mesh, axes_named(mesh, axes));
  const std::int64_t keys = ends_.size(0), batch = this->batch(), samples = batch / blocks;
  call.require(batch % blocks == 0, "a batch of ", batch, " does not divide among ", blocks, " devices (", axes,
               "); the nearest that do are ", batch / blocks * blocks, " and ", (batch / blocks + 1) * blocks);
  const std::vector<std::int64_t> ends = ends_.to(DType::i64).to_vector<std::int64_t>();
  const PartitionSpec spec(std::vector<std::string>{std::string(axes)});
  KeyedJaggedTensor made;
  made.keys_ = keys_;
  BagsOfBlocks bags;
  std::int64_t most = samples;  // bags of a key in a block
  if (bags_of_samples_.defined()) {
    auto of_samples = bags_of_samples_.to_vector<std::int64_t>();
    bags = shared_bags_of_blocks(blocks, keys, batch, ends_.size(1), of_samples);
    most = 0;
    for (const auto& of_key : bags) most = std::max(most, std::ssize(of_key));
    most = with_padding(most);
    made.bags_of_samples_ = from_vector(std::move(of_samples), {blocks, keys, samples}).sharded(spec, mesh, where);
  } else {
    bags = bags_of_blocks(blocks, keys, batch);
  }
  std::vector<std::int64_t> ends_of_blocks;
  std::int64_t count = 0;  // of the ids of a block, at most
  for (std::int64_t block = 0; block < blocks; ++block) {
    std::int64_t end = 0;
    for (std::int64_t key = 0; key < keys; ++key) {
      for (const std::int64_t bag : bags[block * keys + key])
        ends_of_blocks.push_back(end += ends[bag] - (bag == 0 ? 0 : ends[bag - 1]));
      ends_of_blocks.resize((block * keys + key + 1) * most, end);
    }
    count = std::max(count, end);
  }
  call.require(options.most_ids == 0 || count <= options.most_ids, "a device has ", count,
               " ids, and there is room for ", options.most_ids, " (most_ids)");
  count = options.most_ids > 0 ? options.most_ids : with_padding(count);
  made.values_ = from_vector(in_blocks(values_.to(DType::i64).to_vector<std::int64_t>(), ends, bags, blocks, count),
                             {blocks, count})
                     .sharded(spec, mesh, where);
  made.ends_ = from_vector(std::move(ends_of_blocks), {blocks, keys, most}).sharded(spec, mesh, where);
  if (weights_.defined())
    made.weights_ = from_vector(in_blocks(weights_.to_vector<float>(), ends, bags, blocks, count), {blocks, count})
                        .sharded(spec, mesh, where);
  return made;
}

KeyedJaggedTensor KeyedJaggedTensor::sharded(std::string_view axes, const ShardedFeatures& options,
                                             std::source_location where) const {
  return sharded(axes, current_mesh(), options, where);
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
