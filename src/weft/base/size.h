// A Size is a whole number that may depend on symbols: a constant of any sign, or a polynomial over the symbols of Dims. What a
// compiler computes from dims (strides, offsets, counts, bytes) is a Size: a number if the dims are constants, otherwise an
// expression. Eight bytes, compared by value: equal expressions are equal. Thread-safe. Arithmetic of constants is that of
// std::int64_t, and as fast.
//
// Sizes cannot be ordered, because their values are not known. never_negative tells what holds for all values of the symbols.
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
  constexpr bool is(std::int64_t value) const { return bits_ == value; }  // known to be `value`
  // Returns a number that identifies this Size and from which Size(bits) makes it again; for a constant, its value.
  constexpr std::int64_t bits() const { return bits_; }
  // Returns the value. Throws Error unless it is a constant.
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

  // Returns the expression q with q * divisor == a; nullopt if no q holds for all values of the symbols, or if the divisor is
  // 0.
  friend std::optional<Size> exact_quotient(Size a, Size divisor) {
    if (!a.is_constant() || !divisor.is_constant()) return divide(a, divisor);
    if (divisor.bits_ == 0 || a.bits_ % divisor.bits_ != 0) return std::nullopt;
    return Size(a.bits_ / divisor.bits_);
  }

  // Returns whether a >= 0 can be proved for all values of the symbols for which every element of `positive` is at least 1.
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

  // Above least_constant: the value; otherwise an index into the registry of expressions, offset from the least integer.
  std::int64_t bits_;
};

std::optional<Size> exact_quotient(Size a, Size divisor);
bool never_negative(Size a, std::span<const Size> positive);

// Returns the row-major strides of the dims.
std::vector<Size> strides_of(std::span<const Dim> dims);
Size product_of(std::span<const Dim> dims);

// Returns the symbol with this ordinal, at least 0, of the symbols in which sized programs are written. All programs share
// them, because the values belong to a launch.
Dim size_symbol(int ordinal);

// A set of Sizes that are evaluated together for given values of the symbols, without locks. Immutable once filled.
class SizeTable {
 public:
  // Ignores constants. Throws Error for an expression with symbols other than those of size_symbol.
  void add(Size size);
  // Returns the value of every added Size; symbols[i] is the value of size_symbol(i).
  std::vector<std::int64_t> evaluate(std::span<const std::int64_t> symbols) const;
  bool empty() const { return entries_.empty(); }
  // Returns the index of the Size in the result of evaluate, or -1 if it was not added.
  int find(Size size) const {
    const std::size_t index = size.index();
    return index < places_.size() ? places_[index] : -1;
  }
  // Returns the symbols on which an added Size, or a constant, depends: bit i for size_symbol(i), and bit 63 for all from 63
  // on.
  std::uint64_t symbols(Size size) const;

 private:
  struct Term {
    std::int64_t coefficient;
    int first, end;  // in factors_
  };
  struct Entry {
    int first, end;  // in terms_
  };
  std::vector<int> places_;  // indexed by index in the registry of expressions
  std::vector<Entry> entries_;
  std::vector<Term> terms_;
  std::vector<int> factors_;  // ordinals of symbols
};

// Evaluates Sizes, dims and types for one value of each symbol.
class SizeValues {
 public:
  SizeValues() = default;  // can evaluate constants only
  // `symbols[i]` is the value of size_symbol(i). Sizes in the table cost only a look-up; the table must outlive this object.
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
