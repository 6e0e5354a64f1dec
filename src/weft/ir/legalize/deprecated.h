// Operations of early versions of StableHLO, for which there are others now. Complex operands are allowed. All of these throw Error
// if the operands do not fit.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <weft/ir/legalize/written.h>

namespace weft::ir::legalize {

// stablehlo.broadcast: repeats x along new dimensions of these sizes in front of its own.
WrittenValue broadcast_in_front(const WrittenValue& x, std::span<const std::int64_t> sizes);

// stablehlo.dot: the product of two vectors or matrices. The result has this dtype.
WrittenValue dot(const WrittenValue& a, const WrittenValue& b, DType result);

// stablehlo.einsum and stablehlo.unary_einsum, of two operands and of one (einsum.h). The result has this dtype.
WrittenValue einsum(std::span<const WrittenValue> operands, std::string_view equation, DType result);

// stablehlo.torch_index_select: takes the elements of x with these indices along a dimension. x and the indices have the first
// `batch_dimensions` dimensions in common. An index out of range stands for the nearest one.
WrittenValue torch_index_select(const WrittenValue& x, Value indices, std::int64_t dimension,
                                std::int64_t batch_dimensions);

}  // namespace weft::ir::legalize
