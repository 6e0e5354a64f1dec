#include <weft/optim/adafactor.h>

#include <limits>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reduction.h>

namespace weft::optim {

namespace {

bool is_no_matrix(const NamedParameter& parameter) { return !is_matrix(parameter); }

double epsilon_of(DType dtype) {
  return dtype == DType::f64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}

Tensor root_mean_square(const Tensor& x) { return sqrt(mean(x * x)); }

}  // namespace

Adafactor::Adafactor(std::vector<NamedParameter> parameters, AdafactorOptions options, std::vector<Group> groups)
    : OptimizerWith("Adafactor", std::move(parameters), std::move(options), std::move(groups),
                    {{.name = "row_var", .of = is_matrix, .without = 1},
                     {.name = "col_var", .of = is_matrix, .without = 2},
                     {.name = "variance", .of = is_no_matrix}}) {
  require_option("epsilon1", options_.epsilon1);
  require_option("epsilon2", options_.epsilon2);
  require_option("clipping", options_.clipping);
}

void Adafactor::update(std::span<Update> updates) {
  struct Numbers {
    Tensor newest, rate, least, epsilon2, clipping, decay;
  };
  const Tensor one = constant(1, DType::f64);
  const Tensor beta2_decay = input(options_.beta2_decay), epsilon1 = input(options_.epsilon1);
  const Tensor epsilon2 = input(options_.epsilon2), clipping = input(options_.clipping);
  const auto make = [&](const Update& u) {
    const DType dtype = u.value.dtype();
    const Tensor least = where(epsilon1 > constant(0, DType::f64), epsilon1, constant(epsilon_of(dtype), DType::f64));
    return Numbers{.newest = pow(u.number, beta2_decay).to(dtype),
                   .rate = minimum(u.rate, one / sqrt(u.number)).to(dtype),
                   .least = least.to(dtype),
                   .epsilon2 = epsilon2.to(dtype),
                   .clipping = clipping.to(dtype),
                   .decay = (one - u.rate * u.weight_decay).to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    require_whole(u);
    const Numbers& n = shared.get(u, make);
    const Tensor squares = u.gradient * u.gradient;
    Tensor variance;
    if (u.state.size() == 2) {
      const Tensor rows = lerp(u.state[0], mean(squares, -1), n.newest);
      const Tensor columns = lerp(u.state[1], mean(squares, -2), n.newest);
      const Tensor mean_of_rows = maximum(mean(rows, -1, true), n.least);
      variance = unsqueeze(rows / mean_of_rows, -1) * unsqueeze(columns, -2);
      u.state[0] = rows;
      u.state[1] = columns;
    } else {
      variance = lerp(u.state[0], squares, n.newest);
      u.state[0] = variance;
    }
    const Tensor direction = u.gradient * rsqrt(maximum(variance, n.least * n.least));
    const Tensor step = n.rate * maximum(root_mean_square(u.value), n.epsilon2);
    const Tensor too_large = maximum(root_mean_square(direction) / n.clipping, constant(1, u.value.dtype()));
    const Tensor value = u.decays ? u.value * n.decay : u.value;
    u.result = value - step / too_large * direction;
  }
}

}  // namespace weft::optim
