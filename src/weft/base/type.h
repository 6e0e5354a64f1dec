// A Type is the dtype and shape of a tensor. Eight bytes, compared by value: equal types are one interned object that lives as
// long as the process, so copying, comparing and hashing a type costs as much as for a pointer. Thread-safe.
#pragma once

#include <initializer_list>
#include <iosfwd>
#include <span>

#include <weft/base/dim.h>
#include <weft/base/dtype.h>

namespace weft {

class Type {
 public:
  static constexpr int max_rank = 32;

  Type() = default;  // no type; only assignment and comparison are allowed
  Type(DType dtype, std::span<const Dim> dims);
  Type(DType dtype, std::initializer_list<Dim> dims) : Type(dtype, std::span(dims.begin(), dims.size())) {}

  explicit operator bool() const { return data_ != nullptr; }
  DType dtype() const { return data_->dtype; }
  int rank() const { return data_->rank; }
  std::span<const Dim> dims() const { return std::span(data_->dims, data_->rank); }
  Dim dim(int i) const { return data_->dims[i]; }
  std::int64_t size(int i) const { return data_->dims[i].value(); }  // throws Error unless the dimension is constant

  bool is_static() const { return data_->elements >= 0; }
  std::int64_t elements() const {  // throws Error unless the type is static
    if (!is_static()) not_static();
    return data_->elements;
  }
  std::int64_t bytes() const { return elements() * byte_size(dtype()); }
  std::uint64_t hash() const { return data_->hash; }  // the same in every process for a static type

  Type with(DType dtype) const { return Type(dtype, dims()); }

  friend bool operator==(Type, Type) = default;
  friend std::ostream& operator<<(std::ostream& out,
                                  Type t);  // StableHLO's form: tensor<16x256xf32>, tensor<?x4xi1>, !stablehlo.token

 private:
  struct Data {
    DType dtype;
    int rank;
    std::int64_t elements;  // -1: not static
    std::uint64_t hash;
    const Dim* dims;
  };
  struct Registry;
  [[noreturn]] void not_static() const;
  const Data* data_ = nullptr;
};

// Computes row-major strides, in elements, of a static type.
void row_major_strides(std::span<const Dim> dims, std::span<std::int64_t> strides);

}  // namespace weft
