// What the trainers of all models do in a step, as a recipe says.
#pragma once

#include <cstdint>
#include <initializer_list>

#include <weft/base/dtype.h>
#include <weft/optim/adam.h>
#include <weft/tensor/module.h>
#include <weft/train/recipe.h>

namespace weft::train {

// Its AdamW: matrices decay.
optim::AdamWOptions adamw_options(const Recipe& recipe);

// Before a step is recorded: sets its learning rate and the keys of its dropout, which follow from seed and step alone.
void begin_step(optim::Optimizer& optimizer, const Recipe& recipe, std::int64_t step, double learning_rate);

// Updates the optimizer's parameters by the gradients of the loss, clipped. Gives the loss.
Tensor update(optim::Optimizer& optimizer, const Recipe& recipe, const Tensor& loss);

// A bound on the bytes that a step of a transformer takes, from below, without planning it: the weights, their gradients and
// AdamW's two moments, and the input of each block, kept for its backward pass. `block_inputs` has the sizes of these, all
// together. Larger models than fit into an integer have one too.
double least_bytes(double parameters, DType parameter_type, std::initializer_list<std::int64_t> block_inputs,
                   DType input_type);

// Without dropout, until its end.
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
