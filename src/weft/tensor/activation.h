// Activations, normalisations, attention and losses: functions composed of primitive operations. For 16-bit floats,
// sums and exponentials are computed in f32 and the result is rounded once at the end; the cross entropy of 16-bit
// logits stays f32.
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
Tensor glu(const Operand& x, std::int64_t axis = -1);  // first half of the axis * sigmoid(second half)
// x * P(X <= x) for a standard normal X. With `approximate`, tanh replaces erf, as in GPT-2.
Tensor gelu(const Operand& x, bool approximate = false);

// Normalisations
Tensor softmax(const Operand& x, std::int64_t axis = -1);
Tensor log_softmax(const Operand& x, std::int64_t axis = -1);
// (x - mean) / sqrt(var + epsilon) * weight + bias. The mean and the variance are taken over the last dimensions, as
// many as the weight has.
Tensor layer_norm(const Operand& x, const Operand& weight, const Operand& bias, double epsilon = 1e-5);
Tensor layer_norm(const Operand& x, const Operand& weight, double epsilon = 1e-5);
// x / sqrt(mean(x^2) + epsilon) * weight. The mean is taken over the last dimension.
Tensor rms_norm(const Operand& x, const Operand& weight, double epsilon = 1e-6);

// The mean and variance of each channel of x [batch, channels, ...]; both are vectors [channels].
struct ChannelStatistics {
  Tensor mean, variance;
  void fields(auto&& field) {
    field("mean", mean);
    field("variance", variance);
  }
};
// Takes the statistics over all dimensions but the channels; the variance divides by n.
ChannelStatistics channel_statistics(const Operand& x);
// (x - mean) / sqrt(var + epsilon) * weight + bias for each channel of x [batch, channels, ...]. The weight and the
// bias are vectors [channels]; either may be an undefined tensor.
Tensor batch_norm(const Operand& x, const ChannelStatistics& statistics, const Tensor& weight = {},
                  const Tensor& bias = {}, double epsilon = 1e-5);
// Like batch_norm, but with the statistics of each sample and each of the `groups` groups of its channels.
Tensor group_norm(const Operand& x, std::int64_t groups, const Tensor& weight = {}, const Tensor& bias = {},
                  double epsilon = 1e-5);
// Like group_norm with one group for each channel: x is [batch, channels, spatial...].
Tensor instance_norm(const Operand& x, const Tensor& weight = {}, const Tensor& bias = {}, double epsilon = 1e-5);
// x / max(Euclidean norm along the axis, epsilon).
Tensor normalize(const Operand& x, std::int64_t axis = -1, double epsilon = 1e-12);
Tensor cosine_similarity(const Operand& a, const Operand& b, std::int64_t axis = -1, double epsilon = 1e-8);

// Options of attention: softmax(q k^T * scale) v for queries [..., queries, width], keys [..., keys, width] and values
// [..., keys, out]. A query that sees no key has the result 0, and so have its gradients.
struct AttentionOptions {
  bool causal = false;  // query i sees keys 0 to i; with more keys than queries, the last query sees all keys
  std::optional<double> scale = {};  // default: 1 / sqrt(width)
  Tensor mask = {};  // broadcasts to [..., queries, keys]: booleans mark visible keys, numbers are added to the scores
  // Whether queries [..., heads, queries, width] may have more heads than keys and values: query head h then uses head h / (heads / key
  // heads) of these. Without a mask, the keys of a single query, or of queries that are not causal, are never repeated in memory.
  bool enable_gqa = false;

  void fields(auto&& field) {
    field("causal", causal);
    field("scale", scale);
    field("mask", mask);
    field("enable_gqa", enable_gqa);
  }
};
Tensor scaled_dot_product_attention(const Operand& query, const Operand& key, const Operand& value,
                                    const AttentionOptions& options = {});

// Losses
enum class Reduction : std::uint8_t { none, sum, mean };
struct CrossEntropyOptions {
  Reduction reduction = Reduction::mean;  // mean: over the labels that are not ignored
  std::int64_t ignore_index = -100;       // labels with this value count neither in the sum nor in the mean's divisor
  double label_smoothing = 0;

  void fields(auto&& field) {
    field("reduction", reduction);
    field("ignore_index", ignore_index);
    field("label_smoothing", label_smoothing);
  }
};
// Returns -log softmax(logits)[label] for logits [..., classes] and integer labels [...] (the class dimension is the
// last, unlike in PyTorch), or -sum(p * log softmax(logits)) for floating-point labels p [..., classes], which are
// class probabilities. The loss of a label that is neither a class nor ignored is NaN, and so is a sum or mean that
// includes it; such a label contributes no gradient. The mean is also NaN if all labels are ignored, as in PyTorch.
// (PyTorch throws for labels out of range.)
Tensor cross_entropy(const Operand& logits, const Operand& labels, const CrossEntropyOptions& options = {});
// The same as cross_entropy, but takes log probabilities instead of logits.
Tensor nll_loss(const Operand& log_probabilities, const Operand& labels, Reduction reduction = Reduction::mean,
                std::int64_t ignore_index = -100);

struct CtcOptions {
  std::int64_t blank = 0;                 // the class that stands for no label
  Reduction reduction = Reduction::mean;  // mean: of the losses divided by the target lengths, or by 1 if these are 0
  bool zero_infinity =
      false;  // losses that are infinite, because the input is too short, become 0, and so do their gradients

  void fields(auto&& field) {
    field("blank", blank);
    field("reduction", reduction);
    field("zero_infinity", zero_infinity);
  }
};
// The negative logarithm of the probability that the classes of a sequence, without repetitions and then without blanks, are the target:
// log probabilities [time, batch, classes], as log_softmax gives them; integer targets [batch, labels], padded with anything; integer
// lengths of the inputs and of the targets, [batch]. Targets that are no class, and lengths that do not fit, give NaN. The gradient is that
// of this function; PyTorch's differs by what log_softmax removes. (Graves et al. 2006)
Tensor ctc_loss(const Operand& log_probabilities, const Operand& targets, const Operand& input_lengths,
                const Operand& target_lengths, const CtcOptions& options = {});

// Losses between x and a target, which is a tensor of the same shape or a number. Losses do not broadcast, because
// broadcasting is nearly always a mistake here.
Tensor mse_loss(const Operand& x, const Operand& target, Reduction reduction = Reduction::mean);
Tensor l1_loss(const Operand& x, const Operand& target, Reduction reduction = Reduction::mean);
// With d = |x - target|: d^2 / 2 if d <= delta, else delta * (d - delta / 2).
Tensor huber_loss(const Operand& x, const Operand& target, double delta = 1, Reduction reduction = Reduction::mean);
// target * (log(target) - x) for log probabilities x; 0 where the target is 0.
Tensor kl_div(const Operand& x, const Operand& target, Reduction reduction = Reduction::mean);
// -(t * log(s) + (1 - t) * log(1 - s)) with s = sigmoid(logits) and t = target.
Tensor binary_cross_entropy_with_logits(const Operand& logits, const Operand& target,
                                        Reduction reduction = Reduction::mean);

}  // namespace weft
