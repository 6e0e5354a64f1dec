// Parameters that an optimizer treats in their own way. Every optimizer takes a list of groups when it is made; the first group whose
// pattern matches the name of a parameter counts:
//
//   optim::AdamW optimizer(model, {.lr = 3e-4}, {{.names = "backbone.embed.*", .frozen = true},
//                                                {.names = "backbone.*", .lr_factor = 0.1},
//                                                {.names = "*.bias", .decay_factor = 0}});
//
// The numbers may change between steps (Optimizer::groups()) without a recompile. As the parameter groups of PyTorch.
#pragma once

#include <string>

#include <weft/tensor/scalar.h>

namespace weft::optim {

struct Group {
  std::string names;                              // in which * stands for any characters, as in a shell
  Scalar lr_factor = {1, "lr_factor"};            // times the optimizer's lr
  Scalar decay_factor = {1, "decay_factor"};      // times the optimizer's weight_decay
  Flag frozen = {false, "whether it is frozen"};  // as if the parameters required no gradients, for this optimizer
};

}  // namespace weft::optim
