#include <weft/optim/muon.h>

#include <algorithm>
#include <cmath>

#include <weft/optim/adam_rule.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/linalg.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reduction.h>

namespace weft::optim {

namespace {

Predicate predicate_of_momentum(const Predicate& orthogonalizes) {
  return [orthogonalizes](const NamedParameter& named) {
    return named.parameter->type().rank() == 2 && !named.parameter->sparse_update &&
           (!orthogonalizes || orthogonalizes(named));
  };
}

double scale_of(Type matrix, bool matches_adamw) {
  const double rows = static_cast<double>(matrix.size(0)), columns = static_cast<double>(matrix.size(1));
  return matches_adamw ? 0.2 * std::sqrt(std::max(rows, columns)) : std::sqrt(std::max(1.0, rows / columns));
}

}  // namespace

Muon::Muon(std::vector<NamedParameter> parameters, MuonOptions options, std::vector<Group> groups)
    : Muon(std::move(parameters), options, std::move(groups), predicate_of_momentum(options.orthogonalizes)) {}

Muon::Muon(std::vector<NamedParameter> parameters, MuonOptions options, std::vector<Group> groups,
           Predicate has_momentum)
    : OptimizerWith("Muon", std::move(parameters), std::move(options), std::move(groups),
                    {{.name = "momentum", .of = has_momentum},
                     {.name = "exp_avg", .of = std::not_fn(has_momentum)},
                     {.name = "exp_avg_sq", .of = std::not_fn(has_momentum)}}) {
  require_option("momentum", options_.momentum, 0, 1);
  require_option("iterations", static_cast<double>(options_.iterations), 1, 100);
  require_option("epsilon", options_.epsilon);
  require_option("beta1", options_.beta1, 0, 1);
  require_option("beta2", options_.beta2, 0, 1);
  require_option("adam_epsilon", options_.adam_epsilon);
}

// Newton-Schulz iterations with the coefficients of Jordan et al.: they bring all singular values to about 0.7 to 1.2.
Tensor Muon::orthogonal(const Tensor& matrix, const Tensor& epsilon) const {
  const bool is_tall = matrix.type().size(0) > matrix.type().size(1);
  Tensor x = is_tall ? transpose(matrix) : matrix;
  x = x / maximum(norm(x), epsilon);
  const auto number = [&](double value) { return constant(value, x.dtype()); };
  for (std::int64_t i = 0; i < options_.iterations; ++i) {
    const Tensor gram = matmul(x, transpose(x));
    x = x * number(3.4445) + matmul(gram * number(-4.7750) + matmul(gram, gram) * number(2.0315), x);
  }
  return is_tall ? transpose(x) : x;
}

void Muon::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rate, momentum, rest, epsilon, decay;
  };
  const Tensor one = constant(1, DType::f64), momentum = input(options_.momentum), epsilon = input(options_.epsilon);
  const auto make = [&](const Update& u) {
    const DType dtype = u.value.dtype();
    return Numbers{.rate = u.rate.to(dtype),
                   .momentum = momentum.to(dtype),
                   .rest = (one - momentum).to(dtype),
                   .epsilon = epsilon.to(dtype),
                   .decay = (one - u.rate * u.weight_decay).to(dtype)};
  };
  Shared<Numbers> shared;
  AdamRule adam(options_.beta1, options_.beta2, options_.adam_epsilon, true);
  for (Update& u : updates) {
    if (u.state.size() == 2) {
      adam.apply(u, u.state[0], u.state[1]);
      continue;
    }
    const Numbers& n = shared.get(u, make);
    u.state[0] = lerp(u.state[0], u.gradient, n.rest);
    const Tensor direction = options_.nesterov ? lerp(u.gradient, u.state[0], n.momentum) : u.state[0].tensor();
    const Tensor value = u.decays ? u.value * n.decay : u.value;
    const Tensor scale = constant(scale_of(u.value.type(), options_.matches_adamw), u.value.dtype());
    u.result = value - n.rate * scale * orthogonal(direction, n.epsilon);
  }
}

}  // namespace weft::optim
