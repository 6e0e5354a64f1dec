#include <weft/optim/lbfgs.h>

#include <algorithm>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reduction.h>

namespace weft::optim {

namespace {

// The slots of a parameter.
enum : std::uint8_t { last_step, last_gradient, steps, changes };  // the newest step and change are the last ones
constexpr double least_curvature = 1e-10;                          // of steps that are kept

using Tensors = std::vector<Tensor>;  // one for each parameter: together they are one vector

// Returns the inner product of two vectors, as f64.
Tensor inner(const Tensors& a, const Tensors& b) {
  Tensor total;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Tensor part = sum(a[i] * b[i]).to(DType::f64);
    total = total.defined() ? total + part : part;
  }
  return total;
}

// Returns x + factor * y.
Tensors plus(const Tensors& x, const Tensor& factor, const Tensors& y) {
  Tensors result;
  for (std::size_t i = 0; i < x.size(); ++i) result.push_back(x[i] + y[i] * factor.to(y[i].dtype()));
  return result;
}

// Returns old[1], ... old[n - 1], newest; `old` unless the condition is true.
Tensor pushed(const Tensor& condition, const Tensor& old, const Tensor& newest) {
  return where(condition, concatenate({slice(old, 0, 1), unsqueeze(newest, 0)}), old);
}

Tensor zero() { return constant(0, DType::f64); }

// One step that is kept; all zeros if there were fewer.
struct Kept {
  Tensors step, change;
  Tensor inverse_curvature;  // 1 / (step, change); 0 if there is no such step
};

// Returns the estimated inverse of the Hessian times `x`, with which the steps are taken from the newest to the oldest and back.
Tensors inverse_hessian_times(Tensors x, const std::vector<Kept>& history) {
  std::vector<Tensor> weights;
  for (auto kept = history.rbegin(); kept != history.rend(); ++kept) {
    weights.push_back(inner(kept->step, x) * kept->inverse_curvature);
    x = plus(x, -weights.back(), kept->change);
  }
  const Kept& newest = history.back();
  const Tensor squares = inner(newest.change, newest.change), one = constant(1, DType::f64);
  const Tensor is_known = newest.inverse_curvature > zero();
  const Tensor scale = where(is_known, one / (newest.inverse_curvature * where(is_known, squares, one)), one);
  for (Tensor& part : x) part = part * scale.to(part.dtype());
  for (const Kept& kept : history) {
    x = plus(x, weights.back() - inner(kept.change, x) * kept.inverse_curvature, kept.step);
    weights.pop_back();
  }
  return x;
}

}  // namespace

LBFGS::LBFGS(std::vector<NamedParameter> parameters, LBFGSOptions options, std::vector<Group> groups)
    : OptimizerWith("LBFGS", std::move(parameters), options, std::move(groups),
                    {{.name = "last_step"},
                     {.name = "last_gradient"},
                     {.name = "steps", .copies = std::max<std::int64_t>(options.history, 1)},
                     {.name = "changes", .copies = std::max<std::int64_t>(options.history, 1)}}) {
  require_option("history", static_cast<double>(options_.history), 1);
}

void LBFGS::update(std::span<Update> updates) {
  const Tensor one = constant(1, DType::f64);
  Tensors gradient, change, step;
  Tensor magnitudes = zero(), number = zero();
  for (Update& u : updates) {
    require_whole(u);
    gradient.push_back(u.decays ? u.gradient + u.value * u.weight_decay.to(u.value.dtype()) : u.gradient);
    change.push_back(gradient.back() - u.state[last_gradient]);
    step.push_back(u.state[last_step]);
    magnitudes = magnitudes + sum(abs(gradient.back())).to(DType::f64);
    number = maximum(number, u.number);
    u.state[last_gradient] = gradient.back();
  }
  const Tensor is_first = number == one;
  const Tensor is_kept = logical_and(!is_first, inner(change, step) > constant(least_curvature, DType::f64));
  std::vector<Kept> history(options_.history);
  for (std::size_t i = 0; i < updates.size(); ++i) {
    Parameter &all_steps = updates[i].state[steps], &all_changes = updates[i].state[changes];
    all_steps = pushed(is_kept, all_steps, step[i]);
    all_changes = pushed(is_kept, all_changes, change[i]);
    for (std::int64_t k = 0; k < options_.history; ++k) {
      history[k].step.push_back(select(all_steps, 0, k));
      history[k].change.push_back(select(all_changes, 0, k));
    }
  }
  for (Kept& kept : history) {
    const Tensor curvature = inner(kept.step, kept.change), is_step = curvature > zero();
    kept.inverse_curvature = where(is_step, one / where(is_step, curvature, one), zero());
  }
  const Tensors direction = inverse_hessian_times(gradient, history);
  const Tensor first_factor = minimum(one, one / magnitudes);
  for (std::size_t i = 0; i < updates.size(); ++i) {
    Update& u = updates[i];
    const Tensor rate = where(is_first, u.rate * first_factor, u.rate).to(u.value.dtype());
    u.state[last_step] = -(direction[i] * rate);
    u.result = u.value + u.state[last_step];
  }
}

}  // namespace weft::optim
