// Functions that index with tensors. Indices are integers of any dtype. As in StableHLO and JAX, an index out of range
// is clamped to the nearest element when reading, and the update is dropped when writing. Negative indices do not count
// from the end.
#pragma once

#include <cstdint>

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

// Selects the parts of x at `indices` along the axis; the dimensions of `indices` replace the axis in the result.
// (numpy.take)
Tensor take(const Operand& x, const Operand& indices, std::int64_t axis = 0);
// Returns the rows of a table [rows, width] at indices of any shape [...], as [..., width]. The gradient is a scatter
// into the table.
Tensor embedding(const Operand& table, const Operand& indices);
// result[i][j] = x[i][indices[i][j]] for axis 1. `indices` has the rank of x and the same sizes except along the axis.
// (torch.gather)
Tensor gather(const Operand& x, std::int64_t axis, const Operand& indices);
// Returns x with each element of `updates` added to x[i][indices[i][j]] (for axis 1). `updates` has the shape of
// `indices`.
Tensor scatter_add(const Operand& x, std::int64_t axis, const Operand& indices, const Operand& updates);
// The same with the elements of x replaced by the updates; of several updates of one element, the last one wins. (torch.scatter)
Tensor scatter(const Operand& x, std::int64_t axis, const Operand& indices, const Operand& updates);
// How an element and an update are combined. The gradient of a maximum is shared evenly among ties. Gradients of products are right where
// factors are zero, and so are their own gradients.
enum class Combine : std::uint8_t { sum, product, max, min };
// The same with each element of x combined with its updates. (torch.scatter_reduce with include_self)
Tensor scatter_reduce(const Operand& x, std::int64_t axis, const Operand& indices, const Operand& updates,
                      Combine combine);
// Returns x with the parts of `updates` added at `indices`, a vector, along the axis.
Tensor index_add(const Operand& x, std::int64_t axis, const Operand& indices, const Operand& updates);
// Returns x with its parts at `indices`, a vector, along the axis replaced by those of `updates`; the last one wins.
Tensor index_copy(const Operand& x, std::int64_t axis, const Operand& indices, const Operand& updates);
// Returns x with its parts at `indices` along the axis combined with those of `updates`. (torch.index_reduce)
Tensor index_reduce(const Operand& x, std::int64_t axis, const Operand& indices, const Operand& updates,
                    Combine combine);
// 1 at the index along a new last dimension of size `classes`, 0 elsewhere; an index out of range gives only zeros.
Tensor one_hot(const Operand& indices, std::int64_t classes, DType dtype = DType::f32);

}  // namespace weft
