// L-BFGS (Liu & Nocedal 1989), with PyTorch's semantics: an iteration goes in a direction that follows from the last steps and the changes
// of the gradient that they made. For losses without noise, over all data. step(gradients) is one iteration without a line search;
// step(loss) is PyTorch's step(closure) of LBFGS(line_search_fn="strong_wolfe").
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <span>

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct LBFGSOptions {
  Scalar lr =
      1;  // the first step is lr * min(1, 1 / the sum of the gradient's magnitudes), because nothing is known of the loss
  std::int64_t history = 10;  // so many steps are kept, with twice the memory of the parameters each
  Scalar weight_decay = 0;    // weight_decay * parameter is added to the gradient
  Predicate decays = {};      // which parameters decay; default: all
};

struct LineSearchOptions {
  std::int64_t max_iter = 20;                 // iterations of one call
  std::optional<std::int64_t> max_eval = {};  // evaluations of the loss in one call; default: 5 / 4 of max_iter
  double tolerance_grad = 1e-7;               // the call ends if no element of the gradient is larger,
  double tolerance_change = 1e-9;             // or if an iteration changes no parameter, or the loss, by more
};

class LBFGS : public OptimizerWith<LBFGSOptions> {
 public:
  template <class M>
  explicit LBFGS(M& model, LBFGSOptions options = {}, std::vector<Group> groups = {})
      : LBFGS(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit LBFGS(std::vector<NamedParameter> parameters, LBFGSOptions options = {}, std::vector<Group> groups = {});

  void step(std::span<const Tensor> gradients, std::source_location where = std::source_location::current()) {
    Optimizer::step(gradients, where);
  }
  // Takes iterations with a line search, whose first trial is a step of the length that step(gradients) would take. `loss` computes the
  // loss, one number, for the current values of the parameters; it is called for every trial, and its result is read on the host. Returns
  // the loss before the step. Throws Error if a parameter decays: add the penalty to the loss.
  Tensor step(const std::function<Tensor()>& loss, const LineSearchOptions& search = {},
              std::source_location where = std::source_location::current());

 protected:
  void update(std::span<Update> updates) override;

 private:
  struct Search;
  Search* search_ = nullptr;  // during a step with a line search
};

}  // namespace weft::optim
