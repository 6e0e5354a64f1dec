// Activations, normalisations, attention and losses: functions made of primitives. 16-bit floats are computed in f32 where sums
// or exponentials are taken, and rounded once at the end; the cross entropy of 16-bit logits stays f32.
#pragma once

#include <cstdint>
#include <optional>

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

// Activations
Tensor relu(const Operand& x);  // its gradient at 0 is 0
Tensor leaky_relu(const Operand& x, const Operand& slope = 0.01);
Tensor elu(const Operand& x, const Operand& alpha = 1.0);
Tensor sigmoid(const Operand& x);
Tensor silu(const Operand& x);                         // x * sigmoid(x)
Tensor softplus(const Operand& x);                     // log(1 + exp(x))
Tensor log_sigmoid(const Operand& x);                  // -log(1 + exp(-x))
Tensor mish(const Operand& x);                         // x * tanh(softplus(x))
Tensor hard_swish(const Operand& x);                   // x * clamp(x + 3, 0, 6) / 6
Tensor glu(const Operand& x, std::int64_t axis = -1);  // the first half of a dimension times the sigmoid of the second
// x * P(X <= x) for a standard normal X; approximate: with tanh instead of erf, as GPT-2 does.
Tensor gelu(const Operand& x, bool approximate = false);

// Normalisations
Tensor softmax(const Operand& x, std::int64_t axis = -1);
Tensor log_softmax(const Operand& x, std::int64_t axis = -1);
// (x - mean) / sqrt(var + epsilon) over the last dimensions, as many as the weight has, times the weight plus the bias.
Tensor layer_norm(const Operand& x, const Operand& weight, const Operand& bias, double epsilon = 1e-5);
Tensor layer_norm(const Operand& x, const Operand& weight, double epsilon = 1e-5);
// x / sqrt(mean(x^2) + epsilon) over the last dimension, times the weight.
Tensor rms_norm(const Operand& x, const Operand& weight, double epsilon = 1e-6);

// (x - mean) / sqrt(var + epsilon) of channels: x [batch, channels, ...], all others of the vectors [channels]. Weight and bias
// may be undefined tensors.
struct ChannelStatistics {
  Tensor mean, variance;
  void fields(auto&& field) {
    field("mean", mean);
    field("variance", variance);
  }
};
ChannelStatistics channel_statistics(
    const Operand& x);  // over all dimensions but the channels; the variance divides by n
Tensor batch_norm(const Operand& x, const ChannelStatistics& statistics, const Tensor& weight = {},
                  const Tensor& bias = {}, double epsilon = 1e-5);
// The same with the statistics of each sample and each of `groups` groups of its channels.
Tensor group_norm(const Operand& x, std::int64_t groups, const Tensor& weight = {}, const Tensor& bias = {},
                  double epsilon = 1e-5);
// x / max(Euclidean norm along the axis, epsilon).
Tensor normalize(const Operand& x, std::int64_t axis = -1, double epsilon = 1e-12);
Tensor cosine_similarity(const Operand& a, const Operand& b, std::int64_t axis = -1, double epsilon = 1e-8);

// Attention of queries [..., queries, width] over keys [..., keys, width] and values [..., keys, out]: softmax(q k^T * scale) v.
struct AttentionOptions {
  bool causal = false;  // query i sees keys up to i; with more keys than queries the last query sees them all
  std::optional<double> scale = {};  // 1 / sqrt(width) if not given
  Tensor mask = {};  // broadcasts to [..., queries, keys]: booleans say which keys are seen, numbers are added

  void fields(auto&& field) {
    field("causal", causal);
    field("scale", scale);
    field("mask", mask);
  }
};
Tensor scaled_dot_product_attention(const Operand& query, const Operand& key, const Operand& value,
                                    const AttentionOptions& options = {});

// Losses
enum class Reduction : std::uint8_t { none, sum, mean };
struct CrossEntropyOptions {
  Reduction reduction = Reduction::mean;  // mean: over the labels that are not ignored
  std::int64_t ignore_index = -100;  // labels of this value add nothing to the loss, nor to what its mean divides by
  double label_smoothing = 0;

  void fields(auto&& field) {
    field("reduction", reduction);
    field("ignore_index", ignore_index);
    field("label_smoothing", label_smoothing);
  }
};
// -log softmax(logits)[label] of logits [..., classes] and integer labels [...] (classes stand last, unlike in PyTorch), or
// -sum(p * log softmax(logits)) for floating-point labels p [..., classes], the probabilities of the classes. The loss of a label
// that is neither a class nor ignored is NaN, and so is the sum or mean with it; such a label has no gradient. The mean is NaN, too,
// if all labels are ignored (PyTorch, which throws for labels out of range).
Tensor cross_entropy(const Operand& logits, const Operand& labels, const CrossEntropyOptions& options = {});
// The same of log probabilities instead of logits.
Tensor nll_loss(const Operand& log_probabilities, const Operand& labels, Reduction reduction = Reduction::mean,
                std::int64_t ignore_index = -100);

// Of x and a target of the same shape, or a number: losses do not broadcast, for that is nearly always a mistake.
Tensor mse_loss(const Operand& x, const Operand& target, Reduction reduction = Reduction::mean);
Tensor l1_loss(const Operand& x, const Operand& target, Reduction reduction = Reduction::mean);
// d^2 / 2 for a distance d of at most delta, delta (d - delta / 2) beyond.
Tensor huber_loss(const Operand& x, const Operand& target, double delta = 1, Reduction reduction = Reduction::mean);
// target (log target - x) for log probabilities x; 0 where the target is 0.
Tensor kl_div(const Operand& x, const Operand& target, Reduction reduction = Reduction::mean);
// -(t log s + (1 - t) log(1 - s)) for s = sigmoid(logits).
Tensor binary_cross_entropy_with_logits(const Operand& logits, const Operand& target,
                                        Reduction reduction = Reduction::mean);

}  // namespace weft
