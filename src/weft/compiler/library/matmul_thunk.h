// Computes dot_general through oneDNN, on strided views of its operands.
#pragma once

#include <weft/compiler/options/target.h>
#include <weft/compiler/plan/matmul.h>
#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Returns whether oneDNN has a kernel for the product with the sizes that `values` gives.
bool matmul_exists(const Matmul& matmul, const SizeValues& values, const Target& target);

// Makes the unit of a product. Strict: the result has the same bits for any number of threads. Unknown sizes are filled in later.
Unit matmul_unit(const Matmul& matmul, bool strict, const SizeValues& values);

}  // namespace weft::compiler
