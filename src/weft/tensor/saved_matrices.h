// Converts a parameter that holds pieces of matrices (saved_pieces.h) to these matrices and back, for state dicts. Internal.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <weft/tensor/module.h>

namespace weft::detail {

struct SavedMatrix {
  std::string name;
  Type type;
};

// Returns the matrices that a state dict has instead of a parameter with this name: those of the parameter, or of a state with one number for
// each of its rows. Where pieces are some of the columns, such numbers are saved for each of them: users.weight.sum.columns_32_63.
std::vector<SavedMatrix> saved_matrices(const std::string& name, const Parameter& parameter);
// Returns them with their values, which are waited for.
std::vector<std::pair<std::string, Tensor>> matrices_of(const std::string& name, const Parameter& parameter);
// Returns the value of the parameter. The state must have all matrices.
Tensor from_matrices(const std::string& name, const Parameter& parameter, const StateDict& state);

}  // namespace weft::detail
