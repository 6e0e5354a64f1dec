// A product of few terms, each result their sum in order, in f32, as a plain loop takes it. A library's sum of as few may differ from
// that by many units in the last place where they cancel.
#pragma once

#include <memory>
#include <span>

#include <weft/compiler/library/matmul_primitive.h>
#include <weft/runtime/thunk.h>

namespace weft::compiler {

// Of floats of at most 32 bits, with nothing behind the product.
bool is_short(const Product& product);

struct ProductOperand {
  runtime::Slice slice;
  std::size_t offset = 0;  // bytes
};

// Of lhs, rhs and the result.
std::unique_ptr<runtime::Thunk> short_product_thunk(const Product& product, std::span<const ProductOperand> operands);

}  // namespace weft::compiler
