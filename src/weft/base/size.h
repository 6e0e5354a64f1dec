// A Size is a whole number that may depend on symbols: a constant of any sign, or a polynomial over the symbols of Dims. What a
// compiler computes from dims (strides, offsets, counts, bytes) is a Size: exact where dims are constants, an expression where
// they are not. Eight bytes, compared by value: equal expressions are equal. Thread-safe; arithmetic of constants is that of
// std::int64_t and as fast.
//
// A Size is never compared by order, for its value is not known. What holds for all values of the symbols can be asked for: see
// never_negative.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <weft/base/dim.h>
#include <weft/base/type.h>

namespace weft {

class Size {
 public:
  constexpr Size(std::int64_t value = 0) : bits_(value) {}  // NOLINT: a number is a Size
  Size(Dim dim)
      : Size(dim.is_constant() ? Size(dim.bits()) : Size(Encoded{}, ~dim.bits())) {}  // NOLINT: and so is a Dim

  constexpr bool is_constant() const { return bits_ > least_constant; }
  constexpr bool is(std::int64_t value) const { return bits_ == value; }  // known to be
  // As a number among others, of which Size(bits) makes it again: a constant is itself.
  constexpr std::int64_t bits() const { return bits_; }
  // The value, which must be known.
  std::int64_t value() const {
    if (!is_constant()) [[unlikely]]
      not_constant();
    return bits_;
  }

  friend bool operator==(Size, Size) = default;  // the same expression
  friend Size operator+(Size a, Size b) {
    return a.is_constant() && b.is_constant() ? Size(a.bits_ + b.bits_) : combine(a, b, 1);
  }
  friend Size operator-(Size a, Size b) {
    return a.is_constant() && b.is_constant() ? Size(a.bits_ - b.bits_) : combine(a, b, -1);
  }
  friend Size operator-(Size a) { return Size(0) - a; }
  friend Size operator*(Size a, Size b) {
    return a.is_constant() && b.is_constant() ? Size(a.bits_ * b.bits_) : multiply(a, b);
  }
  Size& operator+=(Size other) { return *this = *this + other; }
  Size& operator-=(Size other) { return *this = *this - other; }
  Size& operator*=(Size other) { return *this = *this * other; }
  friend std::ostream& operator<<(std::ostream& out, Size size);

  // The expression q with q * divisor == a; empty if there is none that holds for all values, or if the divisor is 0.
  friend std::optional<Size> exact_quotient(Size a, Size divisor) {
    if (!a.is_constant() || !divisor.is_constant()) return divide(a, divisor);
    if (divisor.bits_ == 0 || a.bits_ % divisor.bits_ != 0) return std::nullopt;
    return Size(a.bits_ / divisor.bits_);
  }

  // Whether a >= 0 can be shown for all values of the symbols for which every number of `positive` is at least 1.
  friend bool never_negative(Size a, std::span<const Size> positive) {
    return a.is_constant() ? a.bits_ >= 0 : shown(a, positive);
  }

 private:
  friend class SizeAlgebra;
  friend class SizeTable;
  struct Encoded {};
  constexpr Size(Encoded, std::int64_t index) : bits_(std::numeric_limits<std::int64_t>::min() + index) {}
  constexpr std::int64_t index() const { return bits_ - std::numeric_limits<std::int64_t>::min(); }
  static constexpr std::int64_t least_constant = std::numeric_limits<std::int64_t>::min() + (std::int64_t{1} << 40);

  static Size combine(Size a, Size b, std::int64_t sign);
  static Size multiply(Size a, Size b);
  static std::optional<Size> divide(Size a, Size divisor);
  static bool shown(Size a, std::span<const Size> positive);
  [[noreturn]] void not_constant() const;

  std::int64_t bits_;  // above least_constant: the value; else an index into the registry of expressions
};

std::optional<Size> exact_quotient(Size a, Size divisor);
bool never_negative(Size a, std::span<const Size> positive);

// Row-major strides of these dims.
std::vector<Size> strides_of(std::span<const Dim> dims);
Size product_of(std::span<const Dim> dims);

// Symbol `ordinal` of those that programs for many sizes are written with; at least 0. The same few serve all programs, for
// the values belong to a launch.
Dim size_symbol(int ordinal);

// Many Sizes, to be evaluated together for values of the symbols, without locks. Immutable once filled.
class SizeTable {
 public:
  // Nothing for a constant. Throws Error for an expression of other symbols than size_symbol's.
  void add(Size size);
  // The value of every added one; symbols[i] is that of size_symbol(i).
  std::vector<std::int64_t> evaluate(std::span<const std::int64_t> symbols) const;
  bool empty() const { return entries_.empty(); }
  // Where evaluate puts it; -1: it was not added.
  int find(Size size) const {
    const std::size_t index = size.index();
    return index < places_.size() ? places_[index] : -1;
  }
  // The symbols that an added one, or a constant, depends on: bit i for size_symbol(i), the last one for all from 63 on.
  std::uint64_t symbols(Size size) const;

 private:
  struct Term {
    std::int64_t coefficient;
    int first, end;  // in factors_
  };
  struct Entry {
    int first, end;  // in terms_
  };
  std::vector<int> places_;  // by index among the expressions
  std::vector<Entry> entries_;
  std::vector<Term> terms_;
  std::vector<int> factors_;  // ordinals of symbols
};

// What Sizes, dims and types are for one value of each symbol.
class SizeValues {
 public:
  SizeValues() = default;  // of constants
  // symbols[i] is the value of size_symbol(i). What is in the table, which must live as long, costs a look-up.
  explicit SizeValues(std::vector<std::int64_t> symbols, const SizeTable* table = nullptr);

  std::int64_t operator()(Size size) const { return size.is_constant() ? size.value() : evaluate(size); }
  std::vector<std::int64_t> operator()(std::span<const Size> sizes) const;
  Type operator()(Type type) const { return type.is_static() ? type : evaluate(type); }
  std::span<const std::int64_t> symbols() const { return symbols_; }

 private:
  std::int64_t evaluate(Size size) const;
  Type evaluate(Type type) const;

  std::vector<std::int64_t> symbols_;
  const SizeTable* table_ = nullptr;
  std::vector<std::int64_t> results_;
};

}  // namespace weft
