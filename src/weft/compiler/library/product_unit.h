// The parts of a product's unit that do not depend on the library that computes it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <weft/compiler/plan/matmul.h>
#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Bytes that a product reads or writes.
struct ProductOperand {
  runtime::Slice slice;
  std::size_t offset = 0;  // bytes
};

// Returns the product's shape for the sizes that `values` gives; nullopt if it has no form for them.
std::optional<MatmulShape> shape_at(const Matmul& matmul, const SizeValues& values);

// Returns whether the product's sizes and the offsets and strides of its operands are known.
bool is_static(const Matmul& matmul);

// Returns whether an operand has no elements.
bool has_empty_operand(const Matmul& matmul, const SizeValues& values);
// Returns whether no product needs to be computed: the result has no elements, or all its elements are sums of no terms.
bool is_zero(const Matmul& matmul, const SizeValues& values);

// Returns the operands in the order in which the unit reads them, followed by the result. The offsets are those of the views.
std::vector<std::size_t> offsets_of(const Matmul& matmul, const SizeValues& values);
std::vector<ProductOperand> operands_of(std::span<const runtime::Slice> reads, std::span<const runtime::Slice> writes,
                                        const std::vector<std::size_t>& offsets);

// Sets the work of a unit that computes the product.
void add_work(const Matmul& matmul, const MatmulShape& shape, const SizeValues& values, Unit& unit);

// Makes the unit of a product without its form. Throws Error if the product has no form for these sizes.
Unit product_unit(const Matmul& matmul, const SizeValues& values);

// Makes the form of a product whose sizes become known later.
SizedLater sized_later(const Matmul& matmul, std::function<std::optional<Unit>(const SizeValues& sizes)> at);

}  // namespace weft::compiler
