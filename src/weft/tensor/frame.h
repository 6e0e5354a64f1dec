// A call of a tensor function: converts its operands to values of the recording and its results to tensors.
#pragma once

#include <cstdint>
#include <source_location>

#include <weft/record/call.h>
#include <weft/tensor/operand.h>

namespace weft::detail {

class Frame : public record::Call {
 public:
  using Call::Call;
  Frame(const char* function, const Operand& operand) : Call(function, operand.where()) {}

  // Returns the value of an operand; a number becomes rank 0 with its default dtype.
  ir::Value value(const Operand& operand) {
    return operand.is_number() ? number(operand, operand.number().default_dtype()) : value(operand.tensor());
  }
  ir::Value value(const Tensor& tensor) { return recording().value_of(tensor.shared(), function()); }
  ir::Value number(const Operand& operand, DType dtype) {
    record::Immediate bytes{};
    operand.number().write_unobserved(dtype, bytes.data(), function());
    return recording().immediate(Type(dtype, {}), bytes, {.scalar = operand.number().scalar()});
  }
  Tensor tensor(ir::Value value) { return Tensor(recording().wrap(value)); }

  std::int64_t axis(std::int64_t axis, int rank) const { return normalize_axis(axis, rank, function()); }
  Axes axes(const Axes& axes, int rank) const { return normalize_axes(axes, rank, function()); }
};

}  // namespace weft::detail
