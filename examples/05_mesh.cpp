// Trains one model on one device, and on eight logical devices of a mesh in three layouts. The step is the same function each
// time; only shardings differ, and so do the communication and what each device keeps.
#include <cmath>
#include <iostream>

#include <weft/weft.h>

namespace nn = weft::nn;
using weft::Mesh, weft::Tensor;

struct Mlp {
  nn::Linear up{32, 128}, down{128, 8};

  Tensor operator()(const Tensor& x) const { return down(weft::gelu(up(x))); }

  void fields(auto&& field) {
    field("up", up);
    field("down", down);
  }
};

// Returns the last loss. `shard_model` is called before the optimizer is made, whose state is sharded as the parameters are.
double train(const char* layout, const std::optional<Mesh>& mesh, auto&& shard_model, auto&& shard_state) {
  weft::manual_seed(0);
  Mlp model;
  shard_model(model);
  weft::optim::AdamW optimizer(model, {.lr = 3e-3});
  shard_state(optimizer);
  const auto step = weft::compile(
      [&](const Tensor& points, const Tensor& labels) {
        const Tensor loss = nn::cross_entropy(model(points), labels);
        optimizer.step(weft::grad(loss, optimizer.parameters()));
        return loss;
      },
      {.mesh = mesh});
  double loss = 0;
  for (int i = 0; i < 100; ++i) {
    Tensor points = weft::randn({64, 32});
    Tensor labels = weft::argmax(weft::slice(points, 1, 0, 8), 1);
    if (mesh) points = points.sharded("data", *mesh), labels = labels.sharded("data", *mesh);
    loss = step(points, labels).item();
  }
  std::cout << layout << ": loss " << loss << "; " << (mesh ? step.explain().devices() : "one device") << '\n';
  return loss;
}

int main() {
  const auto nothing = [](auto&) {};
  const Mesh data{{"data", 8}}, grid{{"data", 4}, {"model", 2}};
  const double one = train("one device", std::nullopt, nothing, nothing);
  const double losses[] = {
      train("data parallel", data, nothing, nothing),
      train("ZeRO-1, the optimizer's state is divided", data, nothing,
            [&](auto& optimizer) { weft::shard(optimizer, weft::zero::over("data"), data); }),
      train(
          "FSDP, the parameters are divided, too", data,
          [&](Mlp& model) { weft::shard(model, weft::zero::over("data"), data); }, nothing),
      train(
          "tensor parallel, the layers are divided", grid,
          [&](Mlp& model) { weft::shard(model, {{"up.*", "model"}, {"down.weight", {"", "model"}}}, grid); }, nothing)};
  for (const double loss : losses)
    if (std::abs(loss - one) > 1e-3 * one) return 1;
  return 0;
}
