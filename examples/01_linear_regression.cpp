// Fits a line to noisy points with a minimal training loop.
#include <cmath>
#include <iostream>

#include <weft/weft.h>

int main() {
  weft::manual_seed(1);
  const weft::Tensor x = weft::rand({256, 1}) * 4 - 2;
  const weft::Tensor y = x * 3 + 0.5 + weft::randn({256, 1}) * 0.1;

  weft::nn::Linear model(1, 1);
  weft::optim::SGD optimizer(model, {.lr = 0.1});

  for (int step = 0; step < 100; ++step) {
    const weft::Tensor loss = weft::nn::mse_loss(model(x), y);
    optimizer.step(weft::grad(loss, optimizer.parameters()));  // recorded, like all operations before it
    weft::sync();  // compiles forward, backward and update once, and launches them
    if (step % 20 == 0) std::cout << "step " << step << "  loss " << loss.item() << '\n';
  }

  const double slope = model.weight.tensor().item(), offset = model.bias->tensor().item();
  std::cout << "y = " << slope << " x + " << offset << '\n';
  return std::abs(slope - 3) < 0.05 && std::abs(offset - 0.5) < 0.05 ? 0 : 1;
}
