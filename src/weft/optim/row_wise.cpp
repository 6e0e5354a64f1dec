#include <weft/optim/row_wise.h>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reduction.h>

namespace weft::optim {

namespace {

void require_rows(const char* optimizer, const std::vector<NamedParameter>& parameters) {
  for (const NamedParameter& named : parameters)
    require(named.parameter->type().rank() > 0, optimizer, ": ", named.name, " is one number, which has no rows");
}

Tensor mean_square(const Tensor& gradient) { return mean(gradient * gradient, -1); }

}  // namespace

RowWiseAdagrad::RowWiseAdagrad(std::vector<NamedParameter> parameters, RowWiseAdagradOptions options)
    : Optimizer((require_rows("RowWiseAdagrad", parameters), std::move(parameters)), {"sum"}, {"sum"}),
      options_(std::move(options)) {
  require_option("RowWiseAdagrad", "lr", options_.lr);
  require_option("RowWiseAdagrad", "epsilon", options_.epsilon);
  require_option("RowWiseAdagrad", "weight_decay", options_.weight_decay);
}

void RowWiseAdagrad::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rate, epsilon, weight_decay;
  };
  const Tensor rate = input(lr()), epsilon = input(options_.epsilon), weight_decay = input(options_.weight_decay);
  const auto make = [&](DType dtype, const Tensor&) {
    return Numbers{rate.to(dtype), epsilon.to(dtype), weight_decay.to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    const bool decays = options_.weight_decay != 0 && (!options_.decays || options_.decays(u.parameter));
    const Tensor gradient = decays ? u.gradient + u.value * n.weight_decay : u.gradient;
    u.state[0] = u.state[0] + mean_square(gradient);
    u.result = u.value - gradient * unsqueeze(n.rate / (sqrt(u.state[0]) + n.epsilon), -1);
  }
}

PartialRowWiseAdam::PartialRowWiseAdam(std::vector<NamedParameter> parameters, PartialRowWiseAdamOptions options)
    : Optimizer((require_rows("PartialRowWiseAdam", parameters), std::move(parameters)), {"exp_avg", "exp_avg_sq"},
                {"exp_avg_sq"}),
      options_(std::move(options)) {
  require_option("PartialRowWiseAdam", "lr", options_.lr);
  require_option("PartialRowWiseAdam", "beta1", options_.beta1, 0, 1);
  require_option("PartialRowWiseAdam", "beta2", options_.beta2, 0, 1);
  require_option("PartialRowWiseAdam", "epsilon", options_.epsilon);
  require_option("PartialRowWiseAdam", "weight_decay", options_.weight_decay);
}

void PartialRowWiseAdam::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rest1, beta2, rest2, epsilon, rate, correction1, correction2, weight_decay;
  };
  const Tensor rate = input(lr()), beta1 = input(options_.beta1), beta2 = input(options_.beta2),
               one = constant(1, DType::f64);
  const Tensor epsilon = input(options_.epsilon), weight_decay = input(options_.weight_decay);
  const auto make = [&](DType dtype, const Tensor& number) {
    return Numbers{.rest1 = (one - beta1).to(dtype),
                   .beta2 = beta2.to(dtype),
                   .rest2 = (one - beta2).to(dtype),
                   .epsilon = epsilon.to(dtype),
                   .rate = rate.to(dtype),
                   .correction1 = (one - pow(beta1, number)).to(dtype),
                   .correction2 = (one - pow(beta2, number)).to(dtype),
                   .weight_decay = weight_decay.to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    const bool decays = options_.weight_decay != 0 && (!options_.decays || options_.decays(u.parameter));
    const Tensor average = u.state[0] + (u.gradient - u.state[0]) * n.rest1;
    const Tensor square = u.state[1] * n.beta2 + mean_square(u.gradient) * n.rest2;
    const Tensor root = unsqueeze(sqrt(square / n.correction2) + n.epsilon, -1);
    const Tensor direction = average / n.correction1 / root;
    u.result = u.value - n.rate * (decays ? direction + u.value * n.weight_decay : direction);
    u.state[0] = average;
    u.state[1] = square;
  }
}

}  // namespace weft::optim
