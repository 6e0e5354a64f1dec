// Functions whose positions are data. Indices are integers of any type. An index out of range is moved to the nearest element
// when reading, and what it should have changed is dropped when writing (StableHLO and JAX); negative ones do not count from the
// end.
#pragma once

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

// NumPy's take: the parts of x at these places of a dimension; the dimensions of `indices` take the place of that dimension.
Tensor take(const Operand& x, const Operand& indices, std::int64_t axis = 0);
// The rows of a table [rows, width] for indices of any shape: [..., width]. The gradient is a scatter into the table.
Tensor embedding(const Operand& table, const Operand& indices);
// PyTorch's gather: result[i][j] = x[i][indices[i][j]] for axis 1. `indices` has the rank of x, and its sizes but for the axis.
Tensor gather(const Operand& x, std::int64_t axis, const Operand& indices);
// x with each element of `updates` added at x[i][indices[i][j]] (for axis 1). `updates` has the shape of `indices`.
Tensor scatter_add(const Operand& x, std::int64_t axis, const Operand& indices, const Operand& updates);
// x with the parts of `updates` added at these places of a dimension; `indices` is a vector.
Tensor index_add(const Operand& x, std::int64_t axis, const Operand& indices, const Operand& updates);
// 1 at the index along a new last dimension of `classes`, else 0; an index out of range gives zeros alone.
Tensor one_hot(const Operand& indices, std::int64_t classes, DType dtype = DType::f32);

}  // namespace weft
