// Computes dot_general on an NVIDIA GPU through cuBLASLt, on strided views of its operands.
#pragma once

#include <weft/compiler/library/cuda/algorithm_choices.h>
#include <weft/compiler/library/cuda/product_calls.h>
#include <weft/compiler/plan/matmul.h>
#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Returns whether the library computes the product, with its epilogue, for the sizes that `values` gives. Needs neither it nor a GPU.
bool gpu_product_exists(const Matmul& matmul, const SizeValues& values);

struct GpuProductOptions {
  bool strict = false;  // no sum is divided among blocks of threads
  // If not null, the algorithm is chosen by measurement when the thunk first runs, and kept here. Must outlive the thunk.
  AlgorithmChoices* choices = nullptr;
};

// Makes the unit of a product. Unknown sizes are filled in later. Needs neither the library nor a GPU; the thunk asks for both when it first
// runs, and throws Error if they are missing.
Unit gpu_product_unit(const Matmul& matmul, const GpuProductOptions& options, const SizeValues& values);

}  // namespace weft::compiler
