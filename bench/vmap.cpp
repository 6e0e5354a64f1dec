// Measures vmap against the same computation written for batches by hand: gradients of a multilayer perceptron, of each example and of
// their mean.
#include <benchmark/benchmark.h>

#include <weft/weft.h>

namespace weft {
namespace {

constexpr std::int64_t batch = 64, inputs = 256, hidden = 512, classes = 10;

struct Perceptron {
  Parameter up{random::normal(random::Key(1), {inputs, hidden}) * 0.05},
      down{random::normal(random::Key(2), {hidden, classes}) * 0.05};
  Tensor operator()(const Tensor& x) const { return matmul(tanh(matmul(x, up)), down); }
  Tensor loss(const Tensor& x, const Tensor& y) const { return cross_entropy((*this)(x), y); }
};

std::vector<Tensor> each_by_vmap(Perceptron& model, const Tensor& x, const Tensor& y) {
  return vmap([&](const Tensor& image, const Tensor& label) {
    Parameter* const parameters[] = {&model.up, &model.down};
    return grad(model.loss(image, label), parameters);
  })(x, y);
}

std::vector<Tensor> each_by_hand(Perceptron& model, const Tensor& x, const Tensor& y) {
  const Tensor h = tanh(matmul(x, model.up)), logits = matmul(h, model.down);
  const Tensor of_logits = softmax(logits) - one_hot(y, classes);
  const Tensor of_h = matmul(of_logits, transpose(model.down)) * (1.0 - h * h);
  return {unsqueeze(x, 2) * unsqueeze(of_h, 1), unsqueeze(h, 2) * unsqueeze(of_logits, 1)};
}

std::vector<Tensor> mean_by_vmap(Perceptron& model, const Tensor& x, const Tensor& y) {
  const auto loss = [&](const Tensor& image, const Tensor& label) { return model.loss(image, label); };
  return grad(mean(vmap(loss)(x, y)), {model.up, model.down});
}

std::vector<Tensor> mean_by_hand(Perceptron& model, const Tensor& x, const Tensor& y) {
  return grad(model.loss(x, y), {model.up, model.down});
}

using Gradients = std::vector<Tensor> (*)(Perceptron&, const Tensor&, const Tensor&);

template <Gradients gradients>
void gradients_of(benchmark::State& state) {
  Perceptron model;
  const Tensor x = random::normal(random::Key(3), {batch, inputs}),
               y = random::integers(random::Key(4), {batch}, 0, classes);
  const auto step =
      compile([&](const Tensor& images, const Tensor& labels) { return gradients(model, images, labels); });
  sync();
  for (auto _ : state) {
    const std::vector<Tensor> made = step(x, y);
    made[0].buffer()->wait();
    made[1].buffer()->wait();
  }
}
BENCHMARK(gradients_of<each_by_vmap>)->UseRealTime();
BENCHMARK(gradients_of<each_by_hand>)->UseRealTime();
BENCHMARK(gradients_of<mean_by_vmap>)->UseRealTime();
BENCHMARK(gradients_of<mean_by_hand>)->UseRealTime();

}  // namespace
}  // namespace weft

BENCHMARK_MAIN();
