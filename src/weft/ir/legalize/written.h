// Types and values as written in a program. Complex numbers exist only in programs: in the graph, a complex tensor is two
// tensors, its real and its imaginary part, and code after the reader treats them like any other (docs/design/complex.md).
#pragma once

#include <iosfwd>
#include <span>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir::legalize {

// tensor<2xf32>, or tensor<2xcomplex<f32>> with parts of tensor<2xf32>.
struct WrittenType {
  Type part;
  bool is_complex = false;

  WrittenType() = default;
  WrittenType(Type type, bool complex = false) : part(type), is_complex(complex) {}
  explicit operator bool() const { return static_cast<bool>(part); }
  friend bool operator==(WrittenType, WrittenType) = default;
  friend std::ostream& operator<<(std::ostream& out, WrittenType type);
};

struct WrittenValue {
  Value re;       // the value itself if it is real
  Value im = {};  // empty if the value is real

  bool is_complex() const { return static_cast<bool>(im); }
  Type part() const { return re.type(); }
  WrittenType type() const { return {part(), is_complex()}; }
};

using WrittenValues = std::vector<WrittenValue>;

// Return flat lists in which a complex entry is its real part followed by its imaginary part.
std::vector<Type> flattened(std::span<const WrittenType> types);
std::vector<Value> flattened(std::span<const WrittenValue> values);
// The inverse of flattened. Throws Error if the values do not fit the types.
WrittenValues grouped(std::span<const Value> values, std::span<const WrittenType> types);

// Returns, for each value, its real or its imaginary part; a real value is returned for both.
std::vector<Value> half(std::span<const WrittenValue> values, bool imaginary);

}  // namespace weft::ir::legalize
