// The parts of a training step that the trainers of all models share, as configured by a recipe.
#pragma once

#include <cstdint>
#include <initializer_list>

#include <weft/base/dtype.h>
#include <weft/optim/adam.h>
#include <weft/tensor/module.h>
#include <weft/train/recipe.h>

namespace weft::train {

// Returns the recipe's AdamW options; only matrices decay.
optim::AdamWOptions adamw_options(const Recipe& recipe);

// Call before a step is recorded: sets its learning rate and the seed of its dropout, which depends only on the
// recipe's seed and the step.
void begin_step(optim::Optimizer& optimizer, const Recipe& recipe, std::int64_t step, double learning_rate);

// Updates the optimizer's parameters with the clipped gradients of the loss. Returns the loss.
Tensor update(optim::Optimizer& optimizer, const Recipe& recipe, const Tensor& loss);

// Returns a lower bound on the bytes that a step of a transformer needs, without planning it: the weights, their
// gradients and AdamW's two moments, and the inputs of all blocks, kept for the backward pass. `block_inputs` are the
// dimensions of the latter together. A double, so that it holds the bound even for models whose size exceeds an
// integer.
double least_bytes(double parameters, DType parameter_type, std::initializer_list<std::int64_t> block_inputs,
                   DType input_type);

// Switches the model to evaluation (without dropout) during its lifetime.
template <class Model>
class Evaluation {
 public:
  explicit Evaluation(Model& model) : model_(model) { set_training(model_, false); }
  ~Evaluation() { set_training(model_, true); }
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;

 private:
  Model& model_;
};

}  // namespace weft::train
