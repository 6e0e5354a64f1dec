#include <weft/train/training_step.h>

#include <vector>

#include <weft/base/hash.h>
#include <weft/optim/clip.h>
#include <weft/tensor/gradient.h>
#include <weft/tensor/random.h>

namespace weft::train {

optim::AdamWOptions adamw_options(const Recipe& recipe) {
  return {.lr = recipe.lr,
          .beta1 = recipe.beta1,
          .beta2 = recipe.beta2,
          .epsilon = recipe.eps,
          .weight_decay = recipe.weight_decay,
          .decays = optim::is_matrix};
}

void begin_step(optim::Optimizer& optimizer, const Recipe& recipe, std::int64_t step, double learning_rate) {
  random::default_generator() = {mix(recipe.seed, step), 0};
  optimizer.set_lr(learning_rate);
}

Tensor update(optim::Optimizer& optimizer, const Recipe& recipe, const Tensor& loss) {
  std::vector<Tensor> gradients = grad(loss, optimizer.parameters());
  if (recipe.clip > 0) gradients = optim::clip_grad_norm(gradients, recipe.clip).gradients;
  optimizer.step(gradients);
  return loss;
}

double least_bytes(double parameters, DType parameter_type, std::initializer_list<std::int64_t> block_inputs,
                   DType input_type) {
  constexpr int copies = 4;  // the weights, their gradients and AdamW's two moments
  double inputs = byte_size(input_type);
  for (const std::int64_t size : block_inputs) inputs *= size;
  return copies * byte_size(parameter_type) * parameters + inputs;
}

}  // namespace weft::train
