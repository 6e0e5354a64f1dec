#include <limits>
#include <span>

#include <weft/record/call.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/control.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/indexing.h>
#include <weft/tensor/loss.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reduction.h>

namespace weft {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// log(sum(exp(x))) over the last axis; -inf, with a gradient of 0, if all elements are -inf.
Tensor log_of_sum(const Tensor& x) {
  const Tensor top = stop_gradient(max(x, -1));
  const Tensor is_nothing = top == constant(-infinity, x.dtype());
  const Tensor offset = where(is_nothing, constant(0, x.dtype()), top);
  const Tensor total = sum(exp(x - unsqueeze(offset, -1)), -1);
  const Tensor logarithm = log(where(is_nothing, constant(1, x.dtype()), total)) + offset;
  return where(is_nothing, constant(-infinity, x.dtype()), logarithm);
}

// Moves the elements of the last axis `by` places further; the first ones become -inf.
Tensor moved(const Tensor& x, std::int64_t by) { return pad(x, {{by, -by}}, constant(-infinity, x.dtype())); }

}  // namespace

Tensor ctc_loss(const Operand& log_probabilities, const Operand& targets, const Operand& input_lengths,
                const Operand& target_lengths, const CtcOptions& options) {
  const record::Call call("ctc_loss", log_probabilities.where());
  const auto given = [&](const Operand& x, const char* name) -> const Tensor& {
    call.require(!x.is_number(), "expected ", name, ", got a number");
    return x.tensor();
  };
  const Tensor &probabilities = given(log_probabilities, "log probabilities"), &labels = given(targets, "targets"),
               &inputs = given(input_lengths, "input lengths"), &lengths = given(target_lengths, "target lengths");
  call.require(probabilities.rank() == 3 && is_float(probabilities.dtype()) && probabilities.size(0) > 0,
               "expected log probabilities [time, batch, classes] with a time of at least 1, got ",
               probabilities.type());
  const std::int64_t time = probabilities.size(0), batch = probabilities.size(1), classes = probabilities.size(2);
  call.require(labels.rank() == 2 && is_integer(labels.dtype()) && labels.size(0) == batch, "the targets ",
               labels.type(), " are not integers [", batch, ", labels], one row for each sequence of ",
               probabilities.type());
  for (const Tensor* each : {&inputs, &lengths})
    call.require(is_integer(each->dtype()) && each->shape() == Shape{batch}, "expected the lengths of ", batch,
                 " sequences as integers, got ", each->type());
  call.require(options.blank >= 0 && options.blank < classes, "the blank ", options.blank, " is none of the ", classes,
               " classes");

  // The labels with blanks between them: blank, label 0, blank, label 1, ... blank.
  const std::int64_t places = 2 * labels.size(1) + 1;
  const Tensor label = labels.to(DType::i64), blank = full_like(label, options.blank);
  const Tensor path = pad(reshape(stack({blank, label}, -1), {batch, places - 1}), {{0, 1}}, options.blank);
  const Tensor place = arange(places, DType::i64);
  // A path may go from a label to the next one without a blank between them, unless they are equal.
  const Tensor may_skip = logical_and(path != options.blank, path != pad(path, {{2, -2}}, options.blank));

  const DType dtype = detail::compute_dtype(probabilities.dtype());
  const Tensor wide = probabilities.to(dtype);
  const Tensor emitted = gather(wide, 2, broadcast_to(path, {time, batch, places}));
  const Tensor begin = where(broadcast_to(place == 0, {batch, places}), constant(0, dtype), constant(-infinity, dtype));
  const Tensor is_step = unsqueeze(unsqueeze(arange(time, DType::i64), 1) < inputs, 2);  // [time, batch, 1]
  // alpha: for each place, the logarithm of the probability of all paths that have come to it. (Graves et al. 2006)
  const std::vector<Tensor> first{begin}, steps{emitted, is_step};
  const Tensor alpha = scan(first, steps, [&](const std::vector<Tensor>& before, const std::vector<Tensor>& at) {
                         const Tensor& stay = before[0];
                         const Tensor skip = where(may_skip, moved(stay, 2), constant(-infinity, dtype));
                         const Tensor come = log_of_sum(stack({stay, moved(stay, 1), skip}, -1));
                         return std::pair(std::vector{where(at[1], come + at[0], stay)}, std::vector<Tensor>());
                       }).values[0];
  // A path ends at the last label or at the blank after it.
  const Tensor end = unsqueeze(lengths.to(DType::i64) * 2, 1);
  const Tensor is_end = logical_or(place == end, place == end - 1);
  Tensor losses = -log_of_sum(where(is_end, alpha, constant(-infinity, dtype)));

  if (options.zero_infinity) losses = where(losses == constant(infinity, dtype), constant(0, dtype), losses);
  const Tensor counts = arange(labels.size(1), DType::i64) < unsqueeze(lengths, 1);
  const Tensor no_class = logical_or(label < 0, label >= classes);
  const Tensor wrong_length =
      logical_or(logical_or(inputs<0, inputs> time), logical_or(lengths<0, lengths> labels.size(1)));
  const Tensor is_wrong = logical_or(wrong_length, any(logical_and(counts, no_class), 1));
  losses = where(is_wrong, constant(std::numeric_limits<double>::quiet_NaN(), dtype), losses);
  switch (options.reduction) {
    case Reduction::none: return losses;
    case Reduction::sum: return sum(losses);
    case Reduction::mean: return mean(losses / maximum(lengths, 1).to(dtype));
  }
  return losses;
}

}  // namespace weft
