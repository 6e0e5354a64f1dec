#include <weft/tensor/custom_op.h>

#include <utility>

#include <weft/ir/ops.h>
#include <weft/tensor/frame.h>

namespace weft {

using detail::Frame;
using ir::Value;

std::vector<Tensor> CustomOp::call(Frame& frame, std::span<const Value> operands) const {
  frame.require(!operands.empty(), function_->name(), " takes at least one operand");
  std::vector<Type> inputs;
  for (const Value v : operands) inputs.push_back(v.type());
  const std::vector<Type> types = function_->types(inputs);
  const ir::CustomCallAttributes attributes{.target = function_->name(), .has_side_effect = has_side_effect_};
  ir::Node& node = frame.graph().append(ir::ops::custom_call, operands, &attributes, types);
  std::vector<Tensor> results;
  for (std::uint32_t i = 0; i < types.size(); ++i) results.push_back(frame.tensor(node.result(i)));
  return results;
}

template <class... Operands>
Tensor CustomOp::call_one(const Operand& a, const Operands&... more) const {
  Frame frame("custom_op", a);
  const Value operands[] = {frame.value(a), frame.value(more)...};
  std::vector<Tensor> results = call(frame, operands);
  frame.require(results.size() == 1, function_->name(), " has ", results.size(), " results: use apply");
  return std::move(results[0]);
}

Tensor CustomOp::operator()(const Operand& a) const { return call_one(a); }
Tensor CustomOp::operator()(const Operand& a, const Operand& b) const { return call_one(a, b); }
Tensor CustomOp::operator()(const Operand& a, const Operand& b, const Operand& c) const { return call_one(a, b, c); }

std::vector<Tensor> CustomOp::apply(std::span<const Tensor> operands, std::source_location where) const {
  Frame frame("custom_op", where);
  std::vector<Value> values;
  for (const Tensor& operand : operands) values.push_back(frame.value(operand));
  return call(frame, values);
}

CustomOp custom_op(std::string name, CustomOpOptions options) {
  if (!options.types) options.types = [](std::span<const Type> inputs) { return std::vector{inputs[0]}; };
  return {ir::register_host_function(std::move(name), std::move(options.types), std::move(options.compute),
                                     std::move(options.gradient), std::move(options.forward)),
          options.has_side_effect};
}

}  // namespace weft
