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

RowWiseAdagrad::RowWiseAdagrad(std::vector<NamedParameter> parameters, RowWiseAdagradOptions options,
                               std::vector<Group> groups)
    : OptimizerWith("RowWiseAdagrad", (require_rows("RowWiseAdagrad", parameters), std::move(parameters)),
                    std::move(options), std::move(groups), {{.name = "sum", .without = 1}}) {
  require_option("epsilon", options_.epsilon);
}

void RowWiseAdagrad::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rate, epsilon, weight_decay;
  };
  const Tensor epsilon = input(options_.epsilon);
  const auto make = [&](const Update& u) {
    const DType dtype = u.value.dtype();
    return Numbers{u.rate.to(dtype), epsilon.to(dtype), u.weight_decay.to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    const Tensor gradient = u.decays ? u.gradient + u.value * n.weight_decay : u.gradient;
    u.state[0] = u.state[0] + mean_square(gradient);
    u.result = u.value - gradient * unsqueeze(n.rate / (sqrt(u.state[0]) + n.epsilon), -1);
  }
}

PartialRowWiseAdam::PartialRowWiseAdam(std::vector<NamedParameter> parameters, PartialRowWiseAdamOptions options,
                                       std::vector<Group> groups)
    : OptimizerWith("PartialRowWiseAdam", (require_rows("PartialRowWiseAdam", parameters), std::move(parameters)),
                    std::move(options), std::move(groups),
                    {{.name = "exp_avg"}, {.name = "exp_avg_sq", .without = 1}}) {
  require_option("beta1", options_.beta1, 0, 1);
  require_option("beta2", options_.beta2, 0, 1);
  require_option("epsilon", options_.epsilon);
}

void PartialRowWiseAdam::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rest1, beta2, rest2, epsilon, rate, correction1, correction2, weight_decay;
  };
  const Tensor beta1 = input(options_.beta1), beta2 = input(options_.beta2), one = constant(1, DType::f64);
  const Tensor epsilon = input(options_.epsilon);
  const auto make = [&](const Update& u) {
    const DType dtype = u.value.dtype();
    return Numbers{.rest1 = (one - beta1).to(dtype),
                   .beta2 = beta2.to(dtype),
                   .rest2 = (one - beta2).to(dtype),
                   .epsilon = epsilon.to(dtype),
                   .rate = u.rate.to(dtype),
                   .correction1 = (one - pow(beta1, u.number)).to(dtype),
                   .correction2 = (one - pow(beta2, u.number)).to(dtype),
                   .weight_decay = u.weight_decay.to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    const Tensor average = u.state[0] + (u.gradient - u.state[0]) * n.rest1;
    const Tensor square = u.state[1] * n.beta2 + mean_square(u.gradient) * n.rest2;
    const Tensor root = unsqueeze(sqrt(square / n.correction2) + n.epsilon, -1);
    const Tensor direction = average / n.correction1 / root;
    u.result = u.value - n.rate * (u.decays ? direction + u.value * n.weight_decay : direction);
    u.state[0] = average;
    u.state[1] = square;
  }
}

}  // namespace weft::optim
