// Trains a multilayer perceptron that classifies the points of two spirals.
#include <iostream>
#include <numbers>

#include <weft/weft.h>

namespace nn = weft::nn;

struct Mlp {
  nn::Linear in{2, 32}, hidden{32, 32}, out{32, 2};

  weft::Tensor operator()(const weft::Tensor& x) const { return out(weft::tanh(hidden(weft::tanh(in(x))))); }

  void fields(auto&& field) {
    field("in", in);
    field("hidden", hidden);
    field("out", out);
  }
};

struct Data {
  weft::Tensor points, labels;
};

// Makes `count` points of each spiral arm.
Data spirals(std::int64_t count) {
  const weft::Tensor turn = weft::linspace(0.1, 1, count), angle = turn * (3 * std::numbers::pi);
  const weft::Tensor arm = weft::stack({turn * weft::cos(angle), turn * weft::sin(angle)}, 1);
  return {weft::concatenate({arm, -arm}) + weft::randn({2 * count, 2}) * 0.01,
          weft::concatenate({weft::zeros({count}, weft::int32), weft::ones({count}, weft::int32)})};
}

int main() {
  weft::manual_seed(0);
  const Data data = spirals(128);
  Mlp model;
  weft::optim::AdamW optimizer(model, {.lr = 0.02, .decays = weft::optim::is_matrix});
  std::cout << weft::summary(model);

  const int steps = 300;
  const weft::optim::CosineSchedule schedule{.peak = 0.02, .warmup = 10, .total = steps};
  for (int step = 0; step < steps; ++step) {
    optimizer.set_lr(schedule(step));
    const weft::Tensor loss = nn::cross_entropy(model(data.points), data.labels);
    optimizer.step(weft::grad(loss, optimizer.parameters()));
    weft::sync();
    if (step % 50 == 0) std::cout << "step " << step << "  loss " << loss.item() << '\n';
  }

  const double accuracy = weft::mean(weft::argmax(model(data.points)) == data.labels).item();
  std::cout << "accuracy " << accuracy << '\n';
  return accuracy > 0.95 ? 0 : 1;
}
