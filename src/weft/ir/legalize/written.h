// Types and values as a program is written. Complex numbers are of programs alone: a complex tensor is two tensors of the graph, its
// real and its imaginary part, which everything behind the reader sees as any other (docs/design/complex.md).
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
  Value re;       // of a real one: itself
  Value im = {};  // none: it is real

  bool is_complex() const { return static_cast<bool>(im); }
  Type part() const { return re.type(); }
  WrittenType type() const { return {part(), is_complex()}; }
};

using WrittenValues = std::vector<WrittenValue>;

// In one row, complex ones as their real part followed by the imaginary one.
std::vector<Type> flattened(std::span<const WrittenType> types);
std::vector<Value> flattened(std::span<const WrittenValue> values);
// The other way round. Throws Error where the values do not fit the types.
WrittenValues grouped(std::span<const Value> values, std::span<const WrittenType> types);

// The part of each value that belongs to the real or the imaginary half of what is computed; real ones belong to both.
std::vector<Value> half(std::span<const WrittenValue> values, bool imaginary);

}  // namespace weft::ir::legalize
