#include <weft/tensor/creation.h>

#include <weft/record/sync.h>
#include <weft/tensor/broadcasting.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace {

Type make_type(const Frame& frame, const Shape& shape, DType dtype) {
  frame.require(std::ranges::find(shape, Shape::inferred) == shape.end(), "a size cannot be negative, got ", shape);
  return Type(dtype, shape);
}

Tensor splat(Frame& frame, Type type, double value) { return frame.tensor(ir::constant(frame.graph(), type, value)); }

Tensor from_numbers(std::span<const HostNumber> values, Type type) {
  std::vector<std::byte> bytes(type.bytes());
  std::byte* to = bytes.data();
  for (const HostNumber& value : values) {
    value.write(type.dtype(), to, "tensor");
    to += byte_size(type.dtype());
  }
  return from_bytes(bytes, type);
}

DType common_dtype(std::span<const HostNumber> values) {
  if (values.empty()) return DType::f32;
  DType dtype = DType::boolean;
  for (const HostNumber& value : values) dtype = promote(dtype, value.default_dtype());
  return dtype;
}

}  // namespace

Tensor from_bytes(std::span<const std::byte> bytes, Type type) {
  require(std::ssize(bytes) == type.bytes(), "from_bytes: ", bytes.size(), " bytes do not fill ", type);
  return Tensor(device().upload(type, bytes));
}

Tensor from_bytes(std::span<const std::byte> bytes, Type type, std::shared_ptr<const void> owner) {
  require(std::ssize(bytes) == type.bytes(), "from_bytes: ", bytes.size(), " bytes do not fill ", type);
  return Tensor(device().upload(type, bytes, std::move(owner)));
}

Tensor tensor(const HostNumber& value, DType dtype) { return from_numbers({&value, 1}, Type(dtype, {})); }
Tensor tensor(const HostNumber& value) { return tensor(value, value.default_dtype()); }

Tensor tensor(std::initializer_list<HostNumber> values, DType dtype) {
  return from_numbers({values.begin(), values.size()}, Type(dtype, Shape{values.size()}));
}
Tensor tensor(std::initializer_list<HostNumber> values) {
  return tensor(values, common_dtype({values.begin(), values.size()}));
}

Tensor tensor(std::span<const HostNumber> values, const Shape& shape, DType dtype) {
  return from_numbers(values, Type(dtype, shape));
}

Tensor constant(const HostNumber& value, DType dtype, std::source_location where) {
  Frame frame("constant", where);
  std::byte bytes[8];
  value.write(dtype, bytes, "constant");
  const Type type(dtype, {});
  return frame.tensor(ir::constant(frame.graph(), ir::Literal{type, std::span(bytes).first(type.bytes())}));
}

Tensor zeros(const Shape& shape, DType dtype, std::source_location where) {
  Frame frame("zeros", where);
  return splat(frame, make_type(frame, shape, dtype), 0);
}
Tensor ones(const Shape& shape, DType dtype, std::source_location where) {
  Frame frame("ones", where);
  return splat(frame, make_type(frame, shape, dtype), 1);
}

namespace {

Tensor filled(Frame& frame, Type type, const Operand& value) {
  const Value one = detail::value_as(frame, value, type.dtype());
  frame.require(one.rank() == 0, "the value must have rank 0, got ", one.type());
  return frame.tensor(detail::broadcast(one, type.dims()));
}

}  // namespace

Tensor full(const Shape& shape, const Operand& value) {
  return full(shape, value, value.is_number() ? value.number().default_dtype() : value.tensor().dtype());
}
Tensor full(const Shape& shape, const Operand& value, DType dtype) {
  Frame frame("full", value);
  return filled(frame, make_type(frame, shape, dtype), value);
}

namespace {

Type type_of(const Operand& x) { return x.is_number() ? Type(x.number().default_dtype(), {}) : x.tensor().type(); }

}  // namespace

Tensor zeros_like(const Operand& x) {
  Frame frame("zeros_like", x);
  return splat(frame, type_of(x), 0);
}
Tensor ones_like(const Operand& x) {
  Frame frame("ones_like", x);
  return splat(frame, type_of(x), 1);
}
Tensor full_like(const Operand& x, const Operand& value) {
  Frame frame("full_like", x);
  return filled(frame, type_of(x), value);
}

Tensor arange(std::int64_t stop, DType dtype, std::source_location where) { return arange(0, stop, 1, dtype, where); }

Tensor arange(std::int64_t start, std::int64_t stop, std::int64_t step, DType dtype, std::source_location where) {
  Frame frame("arange", where);
  frame.require(step != 0, "the step cannot be 0");
  const std::int64_t distance = stop - start;
  const std::int64_t count =
      distance == 0 || (distance > 0) != (step > 0) ? 0 : (distance + step + (step > 0 ? -1 : 1)) / step;
  const Type type(dtype, Shape{count});
  Value values = ir::iota(frame.graph(), type, 0);
  if (step != 1) values = values * step;
  if (start != 0) values = values + start;
  return frame.tensor(values);
}

Tensor detail::arange_of_floats(double start, double stop, double step, DType dtype,
                                const std::source_location& where) {
  Frame frame("arange", where);
  frame.require(is_float(dtype), "expected a floating-point type for floating-point numbers, got ", dtype);
  frame.require(step != 0, "the step cannot be 0");
  const double count = std::ceil((stop - start) / step);
  constexpr double most = 1e15;
  frame.require(count <= most, "cannot count from ", start, " to ", stop, " by ", step);  // also fails if count is NaN
  const Type exact(DType::f64, Shape{static_cast<std::int64_t>(std::max(count, 0.0))});
  return frame.tensor(ir::convert(ir::iota(frame.graph(), exact, 0) * step + start, dtype));
}

Tensor linspace(double start, double stop, std::int64_t count, DType dtype, std::source_location where) {
  Frame frame("linspace", where);
  frame.require(count > 0, "expected one number or more, got ", count);
  frame.require(is_float(dtype), "expected a floating-point type, got ", dtype);
  const double step = count == 1 ? 0 : (stop - start) / (count - 1);
  return frame.tensor(ir::iota(frame.graph(), Type(dtype, Shape{count}), 0) * step + start);
}

Tensor iota(const Shape& shape, std::int64_t axis, DType dtype, std::source_location where) {
  Frame frame("iota", where);
  const Type type = make_type(frame, shape, dtype);
  return frame.tensor(ir::iota(frame.graph(), type, frame.axis(axis, type.rank())));
}

Tensor eye(std::int64_t rows, DType dtype, std::source_location where) {
  Frame frame("eye", where);
  const Type indices(DType::i32, Shape{rows, rows});
  const Value diagonal =
      ir::compare(ir::iota(frame.graph(), indices, 0), ir::iota(frame.graph(), indices, 1), ir::Direction::EQ);
  return frame.tensor(ir::convert(diagonal, dtype));
}

}  // namespace weft
