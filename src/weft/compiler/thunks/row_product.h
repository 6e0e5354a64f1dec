// Products that read a matrix once: of one row and a matrix, or of a matrix and one column, for each matrix of a batch. They take as long as
// reading the matrix, which a library does not reach: it prepares for reading it again. So generated code computes them.
#pragma once

#include <optional>

#include <weft/compiler/options/target.h>
#include <weft/compiler/plan/matmul.h>
#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Makes the unit of a product with known sizes. Returns nullopt if it is no such product, or if generated code could not read its matrix in
// the order in which it lies in memory. The result's bits do not depend on whether the sizes were known at compile time.
std::optional<Unit> row_product_unit(const Matmul& matmul, const Target& target, const SizeValues& values);

}  // namespace weft::compiler
