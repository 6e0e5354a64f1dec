// The argument type of tensor functions: a Tensor, a Parameter or a C++ number, converted implicitly, together with the
// source location of the call.
//
// The dtype of the result for operands of different dtypes (as in JAX and NumPy 2):
//   tensor with tensor   weft::promote(a, b) (base/dtype.h): boolean < integer < floating point; within a class,
//                        the wider dtype
//   tensor with number   the tensor's dtype, if the number's class is not above it; else: an integer with booleans
//                        gives i32, a floating-point number with booleans or integers gives f32
//   number with number   i32 for integers, f32 for floating point, i1 for bool
// Throws Error if a number is out of range of an integer dtype.
//
// Numbers are inputs of the recorded program, by position: a learning rate may change in every step without a
// recompile. In a function given to compile(), hold such a number in a Scalar (scalar.h). Write constant(x) for a
// number that never changes and that the compiler may fold.
#pragma once

#include <concepts>
#include <cstdint>
#include <source_location>
#include <type_traits>

#include <weft/tensor/scalar.h>
#include <weft/tensor/tensor.h>

namespace weft {

template <class T>
concept Number = std::is_arithmetic_v<T>;

// A number on the host, stored exactly.
class HostNumber {
 public:
  enum class Class : std::uint8_t { logical, integer, floating };

  HostNumber() = default;
  HostNumber(Number auto value) {  // NOLINT: a number is a HostNumber
    using T = decltype(value);
    if constexpr (std::is_same_v<T, bool>) {
      class_ = Class::logical;
      integer_ = value;
    } else if constexpr (std::is_integral_v<T>) {
      class_ = Class::integer;
      integer_ = value;
      beyond_i64_ = std::is_unsigned_v<T> && integer_ < 0;
    } else {
      class_ = Class::floating;
      floating_ = value;
    }
  }

  HostNumber(const Scalar& scalar)  // NOLINT: remembers the Scalar
      : class_(Class::floating), floating_(scalar.unobserved()), scalar_(&scalar) {}

  // Returns the dtype of `number op tensor` for a tensor of this dtype.
  DType promote_with(DType dtype) const {
    if (is_float(dtype) || class_ == Class::logical) return dtype;
    if (class_ == Class::floating) return DType::f32;
    return dtype == DType::boolean ? DType::i32 : dtype;
  }
  DType default_dtype() const { return promote_with(DType::boolean); }

  // Writes one element. Throws Error, which starts with `function`, if an integer dtype cannot hold the number.
  void write(DType dtype, void* to, const char* function) const;
  double as_double() const;

  // Like `write`, but does not count as a read of a Scalar by the host.
  void write_unobserved(DType dtype, void* to, const char* function) const;
  const Scalar* scalar() const { return scalar_; }  // the Scalar whose value this is; null if there is none

 private:
  double exact() const;
  void observe() const;

  Class class_ = Class::integer;
  bool beyond_i64_ = false;  // an unsigned number of 2^63 or more
  union {
    std::int64_t integer_ = 0;
    double floating_;
  };
  const Scalar* scalar_ = nullptr;
};

// A type that holds its value as a Tensor, such as Parameter.
template <class T>
concept TensorHolder = requires(const T& holder) {
  { holder.tensor() } -> std::same_as<const Tensor&>;
};

class Operand {
 public:
  Operand(const Tensor& tensor, std::source_location where = std::source_location::current())  // NOLINT
      : tensor_(&tensor), where_(where) {}
  Operand(const TensorHolder auto& holder, std::source_location where = std::source_location::current())  // NOLINT
      : tensor_(&holder.tensor()), where_(where) {}
  Operand(Number auto number, std::source_location where = std::source_location::current())  // NOLINT
      : number_(number), where_(where) {}
  Operand(const Scalar& scalar, std::source_location where = std::source_location::current())  // NOLINT
      : number_(scalar), where_(where) {}
  Operand(const Operand&) = delete;  // refers to the caller's tensor: use it only for function parameters
  Operand& operator=(const Operand&) = delete;

  bool is_number() const { return tensor_ == nullptr; }
  const Tensor& tensor() const { return *tensor_; }
  const HostNumber& number() const { return number_; }
  const std::source_location& where() const { return where_; }

 private:
  const Tensor* tensor_ = nullptr;
  HostNumber number_;
  std::source_location where_;
};

}  // namespace weft
