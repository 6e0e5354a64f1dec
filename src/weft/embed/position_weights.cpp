#include <weft/embed/position_weights.h>

#include <algorithm>
#include <utility>

#include <weft/embed/table_configs.h>
#include <weft/record/call.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/gradient.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reduction.h>

namespace weft::embed {

namespace {

// Gives each id a number of its bag: `numbers` [batch, keys], in the order of the bags. The weight of an id has the gradient <row,
// cotangent of the bag>, which is the number of the bag if all rows are 1. In f64, which is exact for all positions.
Tensor numbers_of_bags(const KeyedJaggedTensor& features, const Tensor& numbers) {
  const std::int64_t keys = std::ssize(features.keys());
  const Tensor weights = zeros_like(features.values()).to(DType::f64), ones_row = ones({1, 1}, DType::f64);
  const Bags bags{.ids = zeros_like(features.values()), .ends = features.ends(), .weights = weights};
  std::vector<PooledKey> entries;
  for (std::int64_t key = 0; key < keys; ++key) entries.push_back({.key = key});
  return grad(sum(embedding_bag({&ones_row, 1}, bags, entries) * numbers), weights);
}

}  // namespace

PositionWeights::PositionWeights(std::vector<WeightedFeature> features, std::source_location where)
    : features_(std::move(features)) {
  const record::Call call("PositionWeights", where);
  for (auto feature = features_.begin(); feature != features_.end(); ++feature) {
    call.require(feature->positions > 0, "feature \"", feature->name, "\" has ", feature->positions, " positions");
    call.require(std::ranges::find(features_.begin(), feature, feature->name, &WeightedFeature::name) == feature,
                 "the feature \"", feature->name, "\" occurs twice");
    weights_.emplace_back(ones({feature->positions}));
  }
}

Parameter& PositionWeights::weight(std::string_view feature) {
  const auto found = std::ranges::find(features_, feature, &WeightedFeature::name);
  require(found != features_.end(), "PositionWeights: there is no feature \"", feature, '"');
  return weights_[found - features_.begin()];
}

KeyedJaggedTensor PositionWeights::operator()(const KeyedJaggedTensor& features, std::source_location where) const {
  const Scope scope = enter();
  const record::Call call("PositionWeights", where);
  const std::vector<std::string>& keys = features.keys();
  for (const WeightedFeature& feature : features_)
    call.require(std::ranges::find(keys, feature.name) != keys.end(), "the feature \"", feature.name,
                 "\" is not among ", detail::joined(keys));
  // The bags of all keys, with their last position.
  std::vector<Tensor> begins, last, tables;
  std::vector<PooledKey> entries;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const auto found = std::ranges::find(features_, keys[k], &WeightedFeature::name);
    const bool is_weighted = found != features_.end();
    const std::int64_t key = static_cast<std::int64_t>(k);
    begins.push_back(begins_of_bags(features, key).to(DType::f64));
    last.push_back(full_like(begins.back(), static_cast<double>(is_weighted ? found->positions - 1 : 0)));
    tables.push_back(is_weighted ? unsqueeze(weights_[found - features_.begin()].tensor(), 1) : ones({1, 1}));
    entries.push_back({.key = key, .table = key});
  }
  const Tensor places = numbers_of_bags(features, stack(begins, -1)), most = numbers_of_bags(features, stack(last, -1));
  const Tensor position = minimum(places_of_ids(features.values()) - places, most).to(DType::i64);
  const Bags bags{.ids = position, .ends = features.ends()};
  const Tensor weights = embedding_bag(tables, bags, entries, {.pools = false}, where);
  return features.with_weights(squeeze(weights, {-1}), where);
}

}  // namespace weft::embed
