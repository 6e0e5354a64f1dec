// dot_general through oneDNN, on strided views of its operands.
#pragma once

#include <weft/compiler/options/target.h>
#include <weft/compiler/plan/matmul.h>
#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Whether oneDNN has a kernel for it, with the sizes that `values` gives.
bool matmul_exists(const Matmul& matmul, const SizeValues& values, const Target& target);

// Strict: the same bits for any number of threads. A product of sizes that are not known becomes one when they are.
Unit matmul_unit(const Matmul& matmul, bool strict, const SizeValues& values);

}  // namespace weft::compiler
