// Computes a product of few terms in a plain loop that adds the terms of each result in order, in f32. A library may sum in another order,
// and where terms cancel its result may then differ by many units in the last place.
#pragma once

#include <memory>
#include <span>

#include <weft/compiler/library/matmul_primitive.h>
#include <weft/compiler/library/product_unit.h>
#include <weft/runtime/thunk.h>

namespace weft::compiler {

// Returns whether the product has few terms, floats of at most 32 bits, and no epilogue.
bool is_short(const Product& product);

// Makes the thunk. `operands` are lhs, rhs and the result.
std::unique_ptr<runtime::Thunk> short_product_thunk(const Product& product, std::span<const ProductOperand> operands);

}  // namespace weft::compiler
