#include <weft/ir/einsum.h>

#include <weft/tensor/broadcasting.h>
#include <weft/tensor/linalg.h>

namespace weft {

using detail::Frame;
using ir::Value;

Tensor einsum(std::string_view text, std::span<const Tensor> operands, std::source_location where) {
  Frame frame("einsum", where);
  std::vector<Type> types;
  for (const Tensor& operand : operands) types.push_back(operand.type());
  const auto equation = ir::parse_einsum(text, types);
  frame.require(equation.ok(), equation.reason());
  DType dtype = operands[0].dtype();
  for (const Tensor& operand : operands) dtype = promote(dtype, operand.dtype());
  dtype = detail::contracted_dtype(dtype);
  std::vector<Value> values;
  for (const Tensor& operand : operands) values.push_back(detail::as(frame.value(operand), dtype));
  return frame.tensor(ir::einsum(*equation, values));
}

Tensor einsum(std::string_view text, std::initializer_list<Tensor> operands, std::source_location where) {
  return einsum(text, std::span(operands.begin(), operands.size()), where);
}

}  // namespace weft
