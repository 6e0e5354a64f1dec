#include <weft/ir/legalize/batch_norm.h>

#include <span>

#include <weft/ir/builder.h>

namespace weft::ir::legalize {

namespace {

// Broadcasts per-feature values to the operand's type, and sums all elements of each feature.
class Features {
 public:
  Features(Value x, const BatchNorm& norm, std::span<const Value> of_features)
      : type_(x.type()), feature_{norm.feature_index}, epsilon_(norm.epsilon) {
    require(is_float(type_.dtype()), "expected floating-point numbers, got ", type_);
    require(norm.feature_index >= 0 && norm.feature_index < type_.rank(),
            "there is no dimension feature_index = ", norm.feature_index, " in ", type_);
    const Type one_each(type_.dtype(), {size()});
    for (const Value v : of_features)
      require(v.type() == one_each, "expected ", one_each, " for the features of ", type_, ", got ", v.type());
    for (std::int64_t d = 0; d < type_.rank(); ++d)
      if (d != norm.feature_index) others_.push_back(d);
  }

  std::int64_t size() const { return type_.size(feature_[0]); }
  double elements_of_each() const {
    double elements = 1;
    for (const std::int64_t d : others_) elements *= type_.size(d);
    return elements;
  }
  Value spread(Value of_features) const { return broadcast_in_dim(of_features, type_, feature_); }
  Value sum(Value x) const { return others_.empty() ? x : reduce_sum(x, others_); }
  Value mean(Value x) const {
    const Value total = sum(x);
    return total / constant_like(total, elements_of_each());
  }
  Value with_epsilon(Value variance) const { return variance + constant_like(variance, epsilon_); }

 private:
  Type type_;
  std::vector<std::int64_t> feature_, others_;
  double epsilon_;
};

}  // namespace

Value batch_norm_inference(Value x, Value scale, Value offset, Value mean, Value variance, const BatchNorm& norm) {
  const Value of_features[] = {scale, offset, mean, variance};
  const Features features(x, norm, of_features);
  const Value deviation = features.spread(sqrt(features.with_epsilon(variance)));
  return features.spread(scale) * ((x - features.spread(mean)) / deviation) + features.spread(offset);
}

std::vector<Value> batch_norm_training(Value x, Value scale, Value offset, const BatchNorm& norm) {
  const Value of_features[] = {scale, offset};
  const Features features(x, norm, of_features);
  const Value mean = features.mean(x), centered = x - features.spread(mean);
  const Value variance = features.mean(centered * centered);
  return {batch_norm_inference(x, scale, offset, mean, variance, norm), mean, variance};
}

std::vector<Value> batch_norm_grad(Value x, Value scale, Value mean, Value variance, Value grad_output,
                                   const BatchNorm& norm) {
  const Value of_features[] = {scale, mean, variance};
  const Features features(x, norm, of_features);
  require(grad_output.type() == x.type(), "the cotangent ", grad_output.type(), " does not fit ", x.type());
  const Value spread_variance = features.with_epsilon(variance), deviation = sqrt(spread_variance);
  const Value centered = x - features.spread(mean);
  const Value grad_offset = features.sum(grad_output), with_centered = features.sum(grad_output * centered);
  const Value count = constant_like(scale, features.elements_of_each());
  const Value rest = features.spread(grad_offset) + centered * features.spread(with_centered / spread_variance);
  const Value grad_x = features.spread(scale / deviation / count) * (grad_output * features.spread(count) - rest);
  return {grad_x, with_centered / deviation, grad_offset};
}

}  // namespace weft::ir::legalize
