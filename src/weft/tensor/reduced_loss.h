// Operands and results of losses. Internal.
#pragma once

#include <weft/tensor/broadcasting.h>
#include <weft/tensor/loss.h>

namespace weft::detail {

ir::Value reduce_loss(ir::Value losses, Reduction reduction);

// Returns the two operands of a loss, converted to one floating-point dtype and shape. Throws Error for tensors of different shapes.
Pair same_shapes(Frame& frame, const Operand& x, const Operand& target);

// Returns a weight in the dtype of x, broadcast to its shape.
ir::Value weight_like(Frame& frame, const Tensor& weight, ir::Value x, const char* name);

// Whether the tensors have the same sizes, up to the last dimension of the first one.
bool is_row_of(ir::Value rows, ir::Value numbers);

// Returns the element of each row of x at its label; 0 for a label that is not a class.
ir::Value at_label(ir::Value x, ir::Value labels);

// Returns which of the classes of a row of x, [..., classes], is the one of the label.
ir::Value is_label(ir::Value x, ir::Value labels);

// max(x, 0), with gradient 0 at 0. NaN stays.
ir::Value positive_part(ir::Value x);

}  // namespace weft::detail
