// A Dim is the size of one dimension: a constant, or an expression over named symbols. Eight bytes, compared by value: equal
// expressions are one object (they are kept in normal form and interned for the life of the process).  Thread-safe.
#pragma once

#include <compare>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>

#include <weft/base/error.h>

namespace weft {

class Dim {
 public:
  constexpr Dim(std::int64_t size = 0) : bits_(size) {}  // NOLINT: a number is a Dim

  // Makes a new symbol, distinct from every other, with min <= size <= max and size % multiple_of == 0.
  static Dim symbol(std::string name, std::int64_t min = 0, std::int64_t max = std::numeric_limits<std::int64_t>::max(),
                    std::int64_t multiple_of = 1);

  constexpr bool is_constant() const { return bits_ >= 0; }
  // Returns the size. Throws Error unless it is a constant.
  constexpr std::int64_t value() const {
    if (!is_constant()) not_constant();
    return bits_;
  }
  std::int64_t min() const;  // the bounds of the possible sizes
  std::int64_t max() const;
  std::int64_t divisor() const;  // a number that divides every possible size (0 for the constant 0)

  friend constexpr bool operator==(Dim, Dim) = default;
  friend Dim operator+(Dim a, Dim b);
  friend Dim operator-(Dim a, Dim b);
  friend Dim operator*(Dim a, Dim b);
  friend Dim floor_divide(Dim a, Dim b);
  friend std::ostream& operator<<(std::ostream& out, Dim d);  // 64, or batch * 2 + 1

  constexpr std::int64_t bits() const { return bits_; }  // identity, for hashing

 private:
  struct Registry;
  [[noreturn]] void not_constant() const;
  std::int64_t bits_;  // >= 0: the constant; < 0: ~index into the registry
};

Dim floor_divide(Dim a, Dim b);

}  // namespace weft
