#include <weft/nn/normalization.h>

#include <algorithm>

#include <weft/record/call.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/reduction.h>

namespace weft::nn {

namespace {

// Moves running statistics towards those of a batch.
void average(Parameter& running, const Tensor& now, double momentum) {
  running = lerp(running, stop_gradient(now).to(running.dtype()), constant(momentum, running.dtype()));
}

}  // namespace

BatchNorm::BatchNorm(std::int64_t channels, double by, double share, DType dtype)
    : weight(ones({channels}, dtype)),
      bias(zeros({channels}, dtype)),
      running_mean(zeros({channels}, dtype)),
      running_var(ones({channels}, dtype)),
      num_batches_tracked(zeros({}, DType::i64)),
      epsilon(by),
      momentum(share) {
  for (Parameter* state : {&running_mean, &running_var, &num_batches_tracked}) state->requires_grad = false;
}

Tensor BatchNorm::operator()(const Operand& x) const {
  const Scope scope = enter();
  const record::Call call("BatchNorm", x.where());
  if (!training) return batch_norm(x, {running_mean, running_var}, weight, bias, epsilon);
  call.require(!x.is_number(), "expected [batch, channels, ...], got a number");
  const ChannelStatistics batch = channel_statistics(x);
  call.require(batch.mean.shape() == running_mean.shape(), x.tensor().type(), " does not have ",
               running_mean.type().elements(), " channels");
  const std::int64_t count = x.tensor().elements() / std::max<std::int64_t>(1, x.tensor().size(1));
  call.require(count > 1, "a channel of ", x.tensor().type(), " has ", count, " values: no variance to train with");
  average(running_mean, batch.mean, momentum);
  // As in PyTorch, the running variance is the unbiased estimate for the population.
  average(running_var, batch.variance * constant(count / static_cast<double>(count - 1), batch.variance.dtype()),
          momentum);
  num_batches_tracked = num_batches_tracked + constant(1, DType::i64);
  return batch_norm(x, batch, weight, bias, epsilon);
}

GroupNorm::GroupNorm(std::int64_t with, std::int64_t channels, double by, DType dtype)
    : weight(ones({channels}, dtype)), bias(zeros({channels}, dtype)), groups(with), epsilon(by) {
  require(groups > 0 && channels % groups == 0, "GroupNorm: ", groups, " groups do not divide ", channels, " channels");
}

Tensor GroupNorm::operator()(const Operand& x) const {
  const Scope scope = enter();
  return group_norm(x, groups, weight, bias, epsilon);
}

InstanceNorm::InstanceNorm(std::int64_t of, const InstanceNormOptions& options)
    : channels(of), epsilon(options.epsilon), momentum(options.momentum) {
  require(channels > 0, "InstanceNorm: expected at least one channel, got ", channels);
  if (options.affine) {
    weight = ones({channels}, options.dtype);
    bias = zeros({channels}, options.dtype);
  }
  if (!options.track_running_stats) return;
  running_mean = zeros({channels}, options.dtype);
  running_var = ones({channels}, options.dtype);
  num_batches_tracked = zeros({}, DType::i64);
  for (auto* state : {&running_mean, &running_var, &num_batches_tracked}) (*state)->requires_grad = false;
}

void InstanceNorm::track(const Tensor& x) const {
  const std::int64_t count = x.elements() / std::max<std::int64_t>(1, x.size(0) * channels);
  require(count > 1, "InstanceNorm: a channel of a sample of ", x.type(), " has ", count,
          count == 1 ? " value" : " values", ": no variance to train with");
  Axes spatial;
  for (int d = 2; d < x.rank(); ++d) spatial.push_back(d);
  average(*running_mean, mean(mean(x, spatial), 0), momentum);
  average(*running_var, mean(var(x, spatial), 0), momentum);
}

Tensor InstanceNorm::operator()(const Operand& x) const {
  const Scope scope = enter();
  const record::Call call("InstanceNorm", x.where());
  call.require(!x.is_number() && x.tensor().rank() >= 3 && x.tensor().size(1) == channels, "expected [batch, ",
               channels, ", spatial...]", x.is_number() ? "" : concat(", got ", x.tensor().type()));
  const Tensor by = weight ? weight->tensor() : Tensor(), plus = bias ? bias->tensor() : Tensor();
  if (running_mean && !training) return batch_norm(x, {*running_mean, *running_var}, by, plus, epsilon);
  if (running_mean) track(x.tensor());
  return instance_norm(x, by, plus, epsilon);
}

}  // namespace weft::nn
