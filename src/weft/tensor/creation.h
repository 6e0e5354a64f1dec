// Creates tensors from host data, constants and ranges. random.h creates random ones.
#pragma once

#include <concepts>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <span>
#include <vector>

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

// Make a tensor from host data, which is copied before the call returns. The dtype is that of the C++ type.
Tensor from_bytes(std::span<const std::byte> bytes, Type type);
template <Element T>
Tensor from_span(std::span<const T> values, const Shape& shape) {
  const Type type(dtype_of<T>, shape);
  require(std::ssize(values) == type.elements(), "from_span: ", values.size(), " values do not fill ", type);
  return from_bytes(std::as_bytes(values), type);
}
template <Element T>
Tensor from_vector(const std::vector<T>& values, const Shape& shape) {
  return from_span(std::span<const T>(values), shape);
}

// Make a tensor from host data that is given away: the device's copy stream copies large data, while the device computes. `owner` keeps
// `bytes` alive until then; nobody may change them. A vector is moved: `from_vector(std::move(pixels), {64, 3, 32, 32})`.
Tensor from_bytes(std::span<const std::byte> bytes, Type type, std::shared_ptr<const void> owner);
template <Element T>
Tensor from_vector(std::vector<T>&& values, const Shape& shape) {
  const Type type(dtype_of<T>, shape);
  require(std::ssize(values) == type.elements(), "from_vector: ", values.size(), " values do not fill ", type);
  const auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  return from_bytes(std::as_bytes(std::span(*owner)), type, owner);
}

// Makes a vector, a matrix, or a tensor of rank 0: tensor({1.f, 2.f}), tensor({{1, 2}, {3, 4}}), tensor(3.f). Unless a
// dtype is given, floating-point values become f32 and integers i32.
Tensor tensor(const HostNumber& value, DType dtype);
Tensor tensor(const HostNumber& value);
Tensor tensor(std::initializer_list<HostNumber> values, DType dtype);
Tensor tensor(std::initializer_list<HostNumber> values);
Tensor tensor(std::span<const HostNumber> values, const Shape& shape, DType dtype);
template <Number T>
Tensor tensor(std::initializer_list<std::initializer_list<T>> rows, DType dtype) {
  const std::size_t columns = rows.size() ? rows.begin()->size() : 0;
  std::vector<HostNumber> values;
  for (const auto& row : rows) {
    require(row.size() == columns, "tensor: rows of ", columns, " and ", row.size(), " values");
    values.insert(values.end(), row.begin(), row.end());
  }
  return tensor(values, {rows.size(), columns}, dtype);
}
template <Number T>
Tensor tensor(std::initializer_list<std::initializer_list<T>> rows) {
  return tensor(rows, HostNumber(T{}).default_dtype());
}

// Makes a number that never changes and that the compiler may fold; a different number is a different program. All
// other numbers are inputs of the program.
Tensor constant(const HostNumber& value, DType dtype = DType::f32,
                std::source_location where = std::source_location::current());

Tensor zeros(const Shape& shape, DType dtype = DType::f32,
             std::source_location where = std::source_location::current());
Tensor ones(const Shape& shape, DType dtype = DType::f32, std::source_location where = std::source_location::current());
Tensor full(const Shape& shape, const Operand& value);  // dtype: the default of the value
Tensor full(const Shape& shape, const Operand& value, DType dtype);
Tensor zeros_like(const Operand& x);
Tensor ones_like(const Operand& x);
Tensor full_like(const Operand& x, const Operand& value);

// start, start + step, ... up to but not including stop.
Tensor arange(std::int64_t stop, DType dtype = DType::i32,
              std::source_location where = std::source_location::current());
Tensor arange(std::int64_t start, std::int64_t stop, std::int64_t step = 1, DType dtype = DType::i32,
              std::source_location where = std::source_location::current());
// The same for floating-point arguments: start + i * step, each rounded once. (torch.arange)
namespace detail {
Tensor arange_of_floats(double start, double stop, double step, DType dtype, const std::source_location& where);
}
template <Number Start, Number Stop, Number Step = int>
  requires(std::floating_point<Start> || std::floating_point<Stop> || std::floating_point<Step>)
Tensor arange(Start start, Stop stop, Step step = 1, DType dtype = DType::f32,
              std::source_location where = std::source_location::current()) {
  return detail::arange_of_floats(start, stop, step, dtype, where);
}
Tensor arange(std::floating_point auto stop, DType dtype = DType::f32,
              std::source_location where = std::source_location::current()) {
  return arange(0, stop, 1, dtype, where);
}
// `count` evenly spaced numbers from start to stop, both included.
Tensor linspace(double start, double stop, std::int64_t count, DType dtype = DType::f32,
                std::source_location where = std::source_location::current());
// Each element is its index along `axis`.
Tensor iota(const Shape& shape, std::int64_t axis, DType dtype = DType::i32,
            std::source_location where = std::source_location::current());
// The identity matrix.
Tensor eye(std::int64_t rows, DType dtype = DType::f32, std::source_location where = std::source_location::current());

}  // namespace weft
