// Activations, normalisations and attention: functions composed of primitive operations. For 16-bit floats, sums and
// exponentials are computed in f32 and the result is rounded once at the end.
#pragma once

#include <cstdint>
#include <optional>

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

// Activations
Tensor relu(const Operand& x);                                     // its gradient at 0 is 0
Tensor relu6(const Operand& x);                                    // relu, at most 6
Tensor leaky_relu(const Operand& x, const Operand& slope = 0.01);  // x where it is positive, else slope * x
// leaky_relu whose slope is a parameter: one number, or a vector of one for each channel of x [batch, channels, ...].
Tensor prelu(const Operand& x, const Operand& weight);
Tensor elu(const Operand& x, const Operand& alpha = 1.0);   // x where it is positive, else alpha * (exp(x) - 1)
Tensor celu(const Operand& x, const Operand& alpha = 1.0);  // the same with exp(x / alpha), so that it is smooth at 0
Tensor selu(const Operand& x);  // elu with constants that keep mean 0 and variance 1 (Klambauer et al. 2017)
Tensor sigmoid(const Operand& x);
Tensor silu(const Operand& x);                       // x * sigmoid(x)
Tensor softplus(const Operand& x, double beta = 1);  // log(1 + exp(beta * x)) / beta
Tensor log_sigmoid(const Operand& x);                // -log(1 + exp(-x))
Tensor mish(const Operand& x);                       // x * tanh(softplus(x))
Tensor hard_tanh(const Operand& x, double low = -1,
                 double high = 1);                          // clamp(x, low, high), with gradient 0 at the bounds
Tensor hard_sigmoid(const Operand& x);                      // clamp(x + 3, 0, 6) / 6
Tensor hard_swish(const Operand& x);                        // x * clamp(x + 3, 0, 6) / 6
Tensor hard_shrink(const Operand& x, double lambda = 0.5);  // 0 from -lambda to lambda, else x
Tensor softshrink(const Operand& x, double lambda = 0.5);  // 0 from -lambda to lambda, else x moved by lambda towards 0
Tensor tanhshrink(const Operand& x);                       // x - tanh(x)
Tensor softsign(const Operand& x);                         // x / (1 + |x|)
Tensor threshold(const Operand& x, double threshold,
                 double value);                        // x where it is above the threshold, else the value
Tensor glu(const Operand& x, std::int64_t axis = -1);  // first half of the axis * sigmoid(second half)
// x * P(X <= x) for a standard normal X. With `approximate`, tanh replaces erf, as in GPT-2.
Tensor gelu(const Operand& x, bool approximate = false);

// Normalisations
Tensor softmax(const Operand& x, std::int64_t axis = -1);
Tensor log_softmax(const Operand& x, std::int64_t axis = -1);
Tensor softmin(const Operand& x, std::int64_t axis = -1);  // softmax(-x)
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
// x / (k + alpha * s)^beta, where s is the mean of the squares of `size` neighbouring channels of x [batch, channels, ...]; channels that
// do not exist count as 0. (Krizhevsky et al. 2012)
struct LocalResponseNormOptions {
  double alpha = 1e-4, beta = 0.75, k = 1;
};
Tensor local_response_norm(const Operand& x, std::int64_t size, const LocalResponseNormOptions& options = {});
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

}  // namespace weft
