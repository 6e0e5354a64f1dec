// An Array is a tensor in host memory: dense, row-major, of static type. It owns its bytes; a copy is deep. Constant folding,
// text literals, the interpreter and tests work on it.  Different arrays may be used from different threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <type_traits>
#include <vector>

#include <weft/base/convert.h>
#include <weft/base/type.h>
#include <weft/ir/attributes.h>

namespace weft::ir {

class Array {
 public:
  Array() = default;                                   // no type: only assignment is allowed
  explicit Array(Type type);                           // zeros; throws Error for a type that is not static or too large
  Array(Type type, std::span<const std::byte> bytes);  // of the type's size
  explicit Array(const Literal& literal);

  // Every element `value`, converted as StableHLO's convert does.
  static Array splat(Type type, double value);

  // Array::of<float>({2, 2}, {1, 2, 3, 4}); elements of the 16-bit floats are given as double.
  template <class T>
  using Given = std::conditional_t<is_float_type<T>, double, T>;
  template <class T>
  static Array of(std::initializer_list<Dim> dims, std::initializer_list<Given<T>> elements) {
    Array result(Type(dtype_of<T>, dims));
    require(elements.size() == result.data<T>().size(), "Array::of: ", result.type(), " of ", elements.size(),
            " elements");
    T* to = result.data<T>().data();
    for (const Given<T> value : elements) *to++ = static_cast<T>(value);
    return result;
  }
  template <class T>
  static Array scalar(Given<T> value) {
    return of<T>({}, {value});
  }

  Type type() const { return type_; }
  DType dtype() const { return type_.dtype(); }
  std::int64_t size() const { return type_.elements(); }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::span<std::byte> bytes() { return bytes_; }

  // The elements in row-major order; T is the C++ type of the dtype.
  template <class T>
  std::span<const T> data() const {
    check(dtype_of<T>);
    return {reinterpret_cast<const T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }
  template <class T>
  std::span<T> data() {
    check(dtype_of<T>);
    return {reinterpret_cast<T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }

  // Element `i` in row-major order as a double, which is not exact for large 64-bit integers.
  double element(std::int64_t i) const;

  // Refers to the bytes of this array.
  Literal literal() const { return {type_, bytes_}; }

  // The same bytes under another type of the same number of elements and width.
  Array with_type(Type type) &&;

  // Same type and same bits: NaN equals itself, 0 differs from -0.
  friend bool operator==(const Array&, const Array&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Array& array);  // tensor<2xf32> [1, 2]; long ones are cut

 private:
  void check(DType t) const { WEFT_ASSERT(type_ && t == dtype(), "Array: ", type_, " read as ", t); }

  Type type_;
  std::vector<std::byte> bytes_;
};

}  // namespace weft::ir
