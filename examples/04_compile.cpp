// Shows what compile() does with a function: a program for each shape, state that replays keep, and an explanation of it all.
#include <iostream>

#include <weft/weft.h>

namespace nn = weft::nn;
using weft::Tensor;

struct Classifier {
  nn::Linear in{16, 64}, out{64, 4};
  nn::Dropout dropout{0.1};

  Tensor operator()(const Tensor& x) const { return out(dropout(weft::gelu(in(x)))); }

  void fields(auto&& field) {
    field("in", in);
    field("out", out);
    field("dropout", dropout);
  }
};

struct Batch {
  Tensor points, labels;

  void fields(auto&& field) {
    field("points", points);
    field("labels", labels);
  }
};

// Makes points whose label is the index of the largest of their first four coordinates.
Batch make_batch(std::int64_t size) {
  const Tensor points = weft::randn({size, 16});
  return {points, weft::argmax(weft::slice(points, 1, 0, 4), 1)};
}

int main() {
  weft::manual_seed(0);
  Classifier model;
  weft::optim::AdamW optimizer(model, {.lr = 3e-3});

  // Recorded once for every shape of a batch. The model, the optimizer with its learning rate, and the random numbers of the
  // dropout are state: every call reads and updates them.
  const auto train = weft::compile(
      [&](const Batch& batch) {
        const Tensor loss = nn::cross_entropy(model(batch.points), batch.labels);
        optimizer.step(weft::grad(loss, optimizer.parameters()));
        return loss;
      },
      {.fullgraph = true, .name = "train"});
  const auto accuracy = weft::compile(
      [&](const Batch& batch) { return weft::mean(weft::argmax(model(batch.points), 1) == batch.labels); });

  for (int step = 0; step < 400; ++step) {
    optimizer.set_lr(3e-3 * (1 - step / 400.0));
    const Tensor loss = train(make_batch(step % 10 == 9 ? 32 : 128));  // every tenth batch is smaller
    if (step % 100 == 0) std::cout << "step " << step << "  loss " << loss.item() << '\n';
  }
  weft::set_training(model, false);  // a guard: the recording with dropout is not replayed without it
  const double right = accuracy(make_batch(1000)).item();
  std::cout << "accuracy " << right << "\n\n" << train.explain();

  const weft::Explanation told = train.explain();
  return right > 0.9 && told.recorded == 2 && told.calls == 400 ? 0 : 1;
}
