// Losses, with PyTorch's semantics but for the layout of classes, which are the last dimension. For 16-bit floats, sums are
// computed in f32 and the result is rounded once at the end; the cross entropy of 16-bit logits stays f32.
#pragma once

#include <cstdint>

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

enum class Reduction : std::uint8_t { none, sum, mean };
struct CrossEntropyOptions {
  Reduction reduction = Reduction::mean;  // mean: over the labels that are not ignored
  std::int64_t ignore_index = -100;       // labels with this value count neither in the sum nor in the mean's divisor
  double label_smoothing = 0;
  Tensor weight =
      {};  // [classes], default: 1. Losses are multiplied by the weight of their class, by which also a mean is divided

  void fields(auto&& field) {
    field("reduction", reduction);
    field("ignore_index", ignore_index);
    field("label_smoothing", label_smoothing);
    field("weight", weight);
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
                std::int64_t ignore_index = -100, const Tensor& weight = {});

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
// huber_loss with delta = beta, divided by beta; l1_loss if beta is 0.
Tensor smooth_l1_loss(const Operand& x, const Operand& target, double beta = 1, Reduction reduction = Reduction::mean);
// target * (log(target) - x) for log probabilities x; 0 where the target is 0. With `log_target`, the target is given as its logarithm.
// (PyTorch's batchmean is the sum divided by the size of the batch.)
Tensor kl_div(const Operand& x, const Operand& target, Reduction reduction = Reduction::mean, bool log_target = false);

// -(t * log(p) + (1 - t) * log(1 - p)) for probabilities p and a target t. A logarithm is at least -100, as in PyTorch. Prefer the next
// function, which is exact for every logit.
Tensor binary_cross_entropy(const Operand& probabilities, const Operand& target, Reduction reduction = Reduction::mean);
// The same with p = sigmoid(logits).
Tensor binary_cross_entropy_with_logits(const Operand& logits, const Operand& target,
                                        Reduction reduction = Reduction::mean);
// Weights may be undefined; they broadcast to the logits.
struct BinaryCrossEntropyOptions {
  Tensor weight = {};      // each loss is multiplied by its weight
  Tensor pos_weight = {};  // multiplies the part of the positive target, t * log(p)
  Reduction reduction = Reduction::mean;

  void fields(auto&& field) {
    field("weight", weight);
    field("pos_weight", pos_weight);
    field("reduction", reduction);
  }
};
Tensor binary_cross_entropy_with_logits(const Operand& logits, const Operand& target,
                                        const BinaryCrossEntropyOptions& options);

struct PoissonNllOptions {
  bool log_input = true;  // whether x is the logarithm of the rate
  bool full = false;      // adds Stirling's approximation of log(target!) where the target is above 1
  double epsilon = 1e-8;  // added to the rate before its logarithm is taken
  Reduction reduction = Reduction::mean;
};
// exp(x) - target * x: the negative log likelihood of a count under a Poisson distribution, without the term of the target alone.
Tensor poisson_nll_loss(const Operand& x, const Operand& target, const PoissonNllOptions& options = {});

struct GaussianNllOptions {
  bool full = false;      // adds log(2 pi) / 2
  double epsilon = 1e-6;  // the least variance; the gradient passes through this bound
  Reduction reduction = Reduction::mean;
};
// (log(variance) + (x - target)^2 / variance) / 2. The variance is a number or a tensor of the shape of x, whose last dimension may be 1 or
// missing.
Tensor gaussian_nll_loss(const Operand& x, const Operand& target, const Operand& variance,
                         const GaussianNllOptions& options = {});

// Losses of margins. A margin target is 1 or -1.

// x for the target 1, max(0, margin - x) for -1, and the sum of both for other targets.
Tensor hinge_embedding_loss(const Operand& x, const Operand& target, double margin = 1,
                            Reduction reduction = Reduction::mean);
// max(0, margin - target * (a - b)): a shall exceed b if the target is 1.
Tensor margin_ranking_loss(const Operand& a, const Operand& b, const Operand& target, double margin = 0,
                           Reduction reduction = Reduction::mean);
Tensor soft_margin_loss(const Operand& x, const Operand& target,
                        Reduction reduction = Reduction::mean);  // log(1 + exp(-target * x))
// 1 - cos for the target 1, max(0, cos - margin) for -1, else 0, where cos is the cosine of the vectors along the last dimension of a and
// b; targets have their shape without it.
Tensor cosine_embedding_loss(const Operand& a, const Operand& b, const Operand& target, double margin = 0,
                             Reduction reduction = Reduction::mean);

struct TripletMarginOptions {
  double margin = 1;
  double p = 2;           // distances are p-norms
  double epsilon = 1e-6;  // added to each difference
  bool swap = false;      // uses the distance of positive and negative if it is the smaller one (Balntas et al. 2016)
  Reduction reduction = Reduction::mean;
};
// max(0, margin + |anchor - positive| - |anchor - negative|) for vectors along the last dimension.
Tensor triplet_margin_loss(const Operand& anchor, const Operand& positive, const Operand& negative,
                           const TripletMarginOptions& options = {});

struct MultiMarginOptions {
  int p = 1;  // 1 or 2
  double margin = 1;
  Tensor weight = {};  // [classes]: multiplies the losses of samples of the class
  Reduction reduction = Reduction::mean;

  void fields(auto&& field) {
    field("p", p);
    field("margin", margin);
    field("weight", weight);
    field("reduction", reduction);
  }
};
// The sum of max(0, margin - x[label] + x[i])^p over the other classes i, divided by the number of classes, for x [..., classes] and
// integer labels [...]. The loss of a label that is no class is NaN.
Tensor multi_margin_loss(const Operand& x, const Operand& labels, const MultiMarginOptions& options = {});
// The sum of max(0, 1 - x[j] + x[i]) over the labels j and all classes i that are no label, divided by the number of classes, for x [...,
// classes] and integer labels [..., classes], of which those from the first negative one on do not count.
Tensor multilabel_margin_loss(const Operand& x, const Operand& labels, Reduction reduction = Reduction::mean);
// The mean of binary_cross_entropy_with_logits over the last dimension. The weight, [classes], may be undefined.
Tensor multilabel_soft_margin_loss(const Operand& x, const Operand& target, const Tensor& weight = {},
                                   Reduction reduction = Reduction::mean);

}  // namespace weft
