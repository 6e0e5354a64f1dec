// An Array is a tensor in host memory: dense, row-major, of static type. It owns its bytes; a copy is deep. Constant folding,
// text literals, the interpreter and tests use it. Different arrays may be used from different threads.
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
  Array() = default;          // no type: such an array can only be assigned to
  explicit Array(Type type);  // all zeros; throws Error if the type is not static or is too large
  Array(Type type, std::span<const std::byte> bytes);  // `bytes` must have the type's size
  explicit Array(const Literal& literal);

  // Returns an array whose elements are all `value`, converted as by StableHLO's convert.
  static Array splat(Type type, double value);

  // Array::of<float>({2, 2}, {1, 2, 3, 4}). Elements of the 16-bit float types are given as doubles.
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

  // Returns the elements in row-major order; T is the C++ type of the dtype.
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

  // Returns element `i` in row-major order as a double, which is not exact for large 64-bit integers.
  double element(std::int64_t i) const;

  // Returns a literal that refers to the bytes of this array.
  Literal literal() const { return {type_, bytes_}; }

  // Returns the same bytes under another type with the same number of elements and the same element width.
  Array with_type(Type type) &&;

  // Compares types and bits: NaN equals itself, 0 differs from -0.
  friend bool operator==(const Array&, const Array&) = default;
  // tensor<2xf32> [1, 2]; long arrays are truncated
  friend std::ostream& operator<<(std::ostream& out, const Array& array);

 private:
  void check(DType t) const { WEFT_ASSERT(type_ && t == dtype(), "Array: ", type_, " read as ", t); }

  Type type_;
  std::vector<std::byte> bytes_;
};

}  // namespace weft::ir
