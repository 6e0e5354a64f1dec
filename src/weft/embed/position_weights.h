// Feature processors: weights of ids that are learned, one for each position in a bag (TorchRec's PositionWeightedModule).
//
//   embed::PositionWeights weights({{"seen", 50}});
//   const KeyedTensor pooled = tables(weights(features));  // of a weighted collection
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

#include <weft/embed/jagged.h>
#include <weft/tensor/module.h>

namespace weft::embed {

struct WeightedFeature {
  std::string name = {};
  std::int64_t positions = 0;  // that have a weight of their own; ids behind them have the last one
};

class PositionWeights : public Layer {
 public:
  // All weights are 1 at first. Throws Error if a feature occurs twice or has no positions.
  explicit PositionWeights(std::vector<WeightedFeature> features,
                           std::source_location where = std::source_location::current());

  // Returns the features with these weights, instead of those that they had; ids of other features weigh 1. Throws Error if a feature is
  // missing, naming it.
  KeyedJaggedTensor operator()(const KeyedJaggedTensor& features,
                               std::source_location where = std::source_location::current()) const;

  Parameter& weight(std::string_view feature);  // [positions]; throws Error for an unknown name

  void fields(auto&& field) {
    for (std::size_t i = 0; i < features_.size(); ++i) field("position_weights." + features_[i].name, weights_[i]);
  }

 private:
  std::vector<WeightedFeature> features_;
  std::vector<Parameter> weights_;
};

}  // namespace weft::embed
