#include <weft/optim/lbfgs.h>

#include <algorithm>
#include <cmath>

#include <weft/optim/strong_wolfe.h>
#include <weft/record/call.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/gradient.h>
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

Tensor largest(const Tensors& parts) {
  Tensor result = zero();
  for (const Tensor& part : parts)
    if (part.elements() > 0) result = maximum(result, max(abs(part)).to(DType::f64));
  return result;
}

// Reads numbers of rank 0 at once.
std::vector<double> read(std::initializer_list<Tensor> numbers) { return stack(numbers).to_vector<double>(); }

}  // namespace

// The state of a step with a line search. The line is that of `at` times the step that would be taken without a search.
struct LBFGS::Search {
  const std::function<Tensor()>& loss;
  const LineSearchOptions& options;
  std::int64_t max_eval;
  std::int64_t evaluations = 0;
  detail::LinePoint found = {};  // where the parameters are
  double moved = 0;              // the largest change of a parameter in the last iteration
  bool is_downhill = true;       // the last direction decreased the loss

  // Evaluates the loss of the parameters. `along` holds the direction of the line, unless there is none.
  detail::LinePoint evaluate(std::span<Parameter* const> parameters, double at, const Tensors& along, Tensor* value) {
    ++evaluations;
    const Tensor now = loss();
    require(now.defined() && now.rank() == 0 && is_float(now.dtype()), "LBFGS: the loss must be one number, got ",
            now.defined() ? now.type() : Type());
    detail::LinePoint point{.at = at};
    for (const Tensor& gradient : grad(now, parameters)) point.gradients.push_back(stop_gradient(gradient));
    const auto numbers =
        read({now.to(DType::f64), along.empty() ? zero() : inner(point.gradients, along), largest(point.gradients)});
    point.loss = numbers[0];
    point.slope = numbers[1];
    point.largest_gradient = numbers[2];
    if (value != nullptr) *value = now;
    return point;
  }

  // Returns how far to go along the `line`, for the slope of the loss in the direction -`direction`, of which the line is a multiple.
  double length(std::span<Update> updates, const Tensors& gradient, const Tensors& direction, const Tensors& line) {
    const auto numbers = read({inner(gradient, direction), inner(gradient, line), largest(line)});
    is_downhill = numbers[0] >= options.tolerance_change;
    if (!is_downhill) return 0;
    found.at = 0;
    found.slope = numbers[1];
    std::vector<Parameter*> parameters;
    Tensors before;
    for (const Update& u : updates) {
      parameters.push_back(u.parameter.parameter);
      before.push_back(u.parameter.parameter->tensor());
    }
    const auto evaluate_at = [&](double at) {
      for (std::size_t i = 0; i < updates.size(); ++i)
        *parameters[i] = stop_gradient((updates[i].value + line[i] * at).to(parameters[i]->dtype()));
      return evaluate(parameters, at, line, nullptr);
    };
    const auto restore = [&] {
      for (std::size_t i = 0; i < before.size(); ++i) *parameters[i] = before[i];
    };
    try {
      found = detail::strong_wolfe(evaluate_at, found, 1, numbers[2], options.tolerance_change, max_eval - evaluations);
    } catch (...) {
      restore();
      throw;
    }
    restore();
    moved = numbers[2] * found.at;
    return found.at;
  }
};

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
    require(search_ == nullptr || !u.decays,
            "LBFGS: a line search does not know of the weight decay: add it to the loss");
    gradient.push_back(u.decays ? u.gradient + u.value * u.weight_decay.to(u.value.dtype()) : u.gradient);
    change.push_back(gradient.back() - u.state[last_gradient]);
    step.push_back(u.state[last_step]);
    magnitudes = magnitudes + sum(abs(gradient.back())).to(DType::f64);
    number = maximum(number, u.number);
  }
  const Tensor is_first = number == one;
  const Tensor is_kept = logical_and(!is_first, inner(change, step) > constant(least_curvature, DType::f64));
  std::vector<Kept> history(options_.history);
  Tensors all_steps, all_changes;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    all_steps.push_back(pushed(is_kept, updates[i].state[steps], step[i]));
    all_changes.push_back(pushed(is_kept, updates[i].state[changes], change[i]));
    for (std::int64_t k = 0; k < options_.history; ++k) {
      history[k].step.push_back(select(all_steps[i], 0, k));
      history[k].change.push_back(select(all_changes[i], 0, k));
    }
  }
  for (Kept& kept : history) {
    const Tensor curvature = inner(kept.step, kept.change), is_step = curvature > zero();
    kept.inverse_curvature = where(is_step, one / where(is_step, curvature, one), zero());
  }
  const Tensors direction = inverse_hessian_times(gradient, history);
  const Tensor first_factor = minimum(one, one / magnitudes);
  Tensors move;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const Update& u = updates[i];
    const Tensor rate = where(is_first, u.rate * first_factor, u.rate).to(u.value.dtype());
    move.push_back(-(direction[i] * rate));
  }
  if (search_ != nullptr) {
    const double length = search_->length(updates, gradient, direction, move);
    for (Tensor& part : move) part = part * length;
  }
  for (std::size_t i = 0; i < updates.size(); ++i) {
    Update& u = updates[i];
    u.state[last_step] = move[i];
    u.state[last_gradient] = gradient[i];
    u.state[steps] = all_steps[i];
    u.state[changes] = all_changes[i];
    u.result = u.value + move[i];
  }
}

Tensor LBFGS::step(const std::function<Tensor()>& loss, const LineSearchOptions& with, std::source_location where) {
  require(with.max_iter > 0 && with.max_eval.value_or(1) > 0,
          "LBFGS: expected at least one iteration and evaluation, got ", with.max_iter, " and ",
          with.max_eval.value_or(1));
  Search search{.loss = loss, .options = with, .max_eval = with.max_eval.value_or(with.max_iter * 5 / 4)};
  Tensor before;
  search.found = search.evaluate(parameters(where), 0, {}, &before);
  if (search.found.largest_gradient <= with.tolerance_grad) return before;
  struct During {
    explicit During(Search*& slot, Search* search) : slot_(slot) { slot_ = search; }
    ~During() { slot_ = nullptr; }
    Search*& slot_;
  } const during(search_, &search);
  for (std::int64_t i = 0; i < with.max_iter; ++i) {
    const double loss_before = search.found.loss;
    step(search.found.gradients, where);
    if (!search.is_downhill || search.evaluations >= search.max_eval ||
        search.found.largest_gradient <= with.tolerance_grad || search.moved <= with.tolerance_change ||
        std::abs(search.found.loss - loss_before) < with.tolerance_change)
      break;
  }
  return before;
}

}  // namespace weft::optim
