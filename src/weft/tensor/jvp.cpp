#include <weft/tensor/jvp.h>

#include <weft/ir/builder.h>
#include <weft/ir/forward.h>
#include <weft/tensor/body.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/manipulation.h>

namespace weft::detail {

using ir::Dual;
using ir::Value;

std::vector<Tensor> forwarded(std::span<const Tensor> xs, std::span<const Tensor> tangents,
                              const std::function<std::vector<Tensor>(std::span<const Tensor>)>& function,
                              const std::source_location& where) {
  Frame frame("jvp", where);
  frame.require(xs.size() == tangents.size(), xs.size(), " tensors and ", tangents.size(), " tangents");
  std::vector<Dual> inputs;
  Body body(frame.recording());
  std::vector<Tensor> arguments;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    Dual& input = inputs.emplace_back(frame.value(xs[i]));
    arguments.push_back(body.add_input(input.value.type()));
    if (!is_float(input.value.dtype())) continue;
    input.tangent = frame.value(tangents[i]);
    frame.require(input.tangent.type() == input.value.type(), "the tangent ", input.tangent.type(), " does not fit ",
                  input.value.type());
  }
  body.record(frame.function(), [&] { return function(arguments); });
  std::vector<Value> captures;
  append_captures(frame, body, captures);
  for (const Value capture : captures) inputs.push_back({capture});
  std::vector<Tensor> values, derivatives;
  for (const Dual& output : ir::forward(frame.graph(), *body.finish(), inputs)) {
    values.push_back(frame.tensor(output.value));
    derivatives.push_back(frame.tensor(output.tangent ? output.tangent : ir::constant_like(output.value, 0)));
  }
  values.insert(values.end(), derivatives.begin(), derivatives.end());
  return values;
}

namespace {

// Returns the type of the function's result, without computing it.
Type type_of_result(const Frame& frame, const TensorFunction& function, Type x) {
  Body body(frame.recording());
  const Tensor at = body.add_input(x);
  body.record(frame.function(), [&] { return std::vector{function(at)}; });
  return body.outputs()[0].type();
}

// Returns, for each element of a tensor of this type, the tensor that is 1 there and 0 elsewhere.
Tensor unit_tensors(Type type) {
  std::vector<Dim> dims{Dim(type.elements())};
  dims.insert(dims.end(), type.dims().begin(), type.dims().end());
  return reshape(eye(type.elements(), type.dtype()), Shape(dims));
}

Shape joined(Type first, Type second) {
  std::vector<Dim> dims(first.dims().begin(), first.dims().end());
  dims.insert(dims.end(), second.dims().begin(), second.dims().end());
  return Shape(dims);
}

void require_float(const Frame& frame, Type x) {
  frame.require(is_float(x.dtype()), "only floating-point tensors have derivatives, got ", x);
}

}  // namespace

Tensor jacobian_by_rows(const TensorFunction& function, const Tensor& x, const std::source_location& where) {
  const Frame frame("jacobian", where);
  require_float(frame, x.type());
  const Type type = type_of_result(frame, function, x.type());
  require_float(frame, type);
  const auto row = [&](const Tensor& cotangent) {
    return vjp(std::vector{function(x)}, std::vector{cotangent}, std::vector{x}, where).front();
  };
  return reshape(vmap(row, {}, where)(unit_tensors(type)), joined(type, x.type()));
}

Tensor jacobian_by_columns(const TensorFunction& function, const Tensor& x, const std::source_location& where) {
  const Frame frame("jacobian_forward", where);
  require_float(frame, x.type());
  const auto column = [&](const Tensor& tangent) { return jvp(function, x, tangent, where).second; };
  const Tensor columns = vmap(column, {.out_axes = -1}, where)(unit_tensors(x.type()));
  std::vector<Dim> dims(columns.type().dims().begin(), columns.type().dims().end() - 1);
  return reshape(columns, joined(Type(columns.dtype(), dims), x.type()));
}

}  // namespace weft::detail
