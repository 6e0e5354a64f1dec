#include <weft/base/dim.h>

#include <weft/base/dim_registry.h>

namespace weft {

// A Dim that is not a constant holds the complement of its index among the expressions.
struct Dim::Registry {
  static Polynomial polynomial(const DimRegistry& r, Dim d) {
    if (!d.is_constant()) return r.expressions[~d.bits_];
    return d.bits_ == 0 ? Polynomial{} : Polynomial{{Monomial{}, d.bits_}};
  }
  static Dim intern(DimRegistry& r, Polynomial p) {
    const auto interned = r.intern(std::move(p));
    require(!interned.is_constant || interned.value >= 0, "a dimension cannot be negative, got ", interned.value);
    return {interned.is_constant ? interned.value : ~interned.value};
  }
};

Dim Dim::symbol(std::string name, std::int64_t min, std::int64_t max, std::int64_t multiple_of) {
  require(!name.empty(), "Dim::symbol: a symbol needs a name");
  require(min >= 0 && min <= max && multiple_of >= 1, "Dim::symbol: ", name,
          ": expected 0 <= min <= max and multiple_of >= 1, got min ", min, ", max ", max, ", multiple_of ",
          multiple_of);
  auto& r = DimRegistry::instance();
  const std::lock_guard lock(r.mutex);
  r.atoms.push_back({.name = std::move(name), .min = min, .max = max, .divisor = multiple_of, .numerator = {}});
  return Dim::Registry::intern(r, {{Monomial{std::ssize(r.atoms) - 1}, 1}});
}

std::int64_t Dim::min() const {
  if (is_constant()) return bits_;
  auto& r = DimRegistry::instance();
  const std::lock_guard lock(r.mutex);
  return r.bounds(Dim::Registry::polynomial(r, *this)).first;
}

std::int64_t Dim::max() const {
  if (is_constant()) return bits_;
  auto& r = DimRegistry::instance();
  const std::lock_guard lock(r.mutex);
  return r.bounds(Dim::Registry::polynomial(r, *this)).second;
}

std::int64_t Dim::divisor() const {
  if (is_constant()) return bits_;
  auto& r = DimRegistry::instance();
  const std::lock_guard lock(r.mutex);
  return r.divisor(Dim::Registry::polynomial(r, *this));
}

void Dim::not_constant() const { fail("the dimension ", *this, " is not a constant"); }

Dim operator+(Dim a, Dim b) {
  if (a.is_constant() && b.is_constant()) return {saturating_add(a.bits_, b.bits_)};
  auto& r = DimRegistry::instance();
  const std::lock_guard lock(r.mutex);
  auto sum = Dim::Registry::polynomial(r, a);
  for (const auto& [monomial, coefficient] : Dim::Registry::polynomial(r, b)) sum[monomial] += coefficient;
  return Dim::Registry::intern(r, std::move(sum));
}

Dim operator-(Dim a, Dim b) {
  auto& r = DimRegistry::instance();
  const std::lock_guard lock(r.mutex);
  auto difference = Dim::Registry::polynomial(r, a);
  for (const auto& [monomial, coefficient] : Dim::Registry::polynomial(r, b)) difference[monomial] -= coefficient;
  return Dim::Registry::intern(r, std::move(difference));
}

Dim operator*(Dim a, Dim b) {
  if (a.is_constant() && b.is_constant()) return {saturating_multiply(a.bits_, b.bits_)};
  auto& r = DimRegistry::instance();
  const std::lock_guard lock(r.mutex);
  return Dim::Registry::intern(r,
                               DimRegistry::multiply(Dim::Registry::polynomial(r, a), Dim::Registry::polynomial(r, b)));
}

Dim floor_divide(Dim a, Dim b) {
  require(b.is_constant() && b.value() > 0, "floor_divide: the divisor must be a positive constant, got ", b);
  if (a.is_constant()) return {a.value() / b.value()};
  auto& r = DimRegistry::instance();
  const std::lock_guard lock(r.mutex);
  // Multiples of b leave the floor; the remaining coefficients are at least 0 and less than b.
  Polynomial quotient, rest;
  for (const auto& [monomial, coefficient] : Dim::Registry::polynomial(r, a)) {
    const std::int64_t remainder = (coefficient % b.value() + b.value()) % b.value();
    if (coefficient != remainder) quotient[monomial] = (coefficient - remainder) / b.value();
    if (remainder != 0) rest[monomial] = remainder;
  }
  if (!rest.empty()) {
    const auto [low, high] = r.bounds(rest);
    if (high >= b.value()) {
      Atom atom{.name = "",
                .min = low / b.value(),
                .max = high == unbounded ? unbounded : high / b.value(),
                .numerator = rest,
                .denominator = b.value()};
      std::size_t at = 0;
      while (at < r.atoms.size() &&
             !(r.atoms[at].name.empty() && r.atoms[at].numerator == rest && r.atoms[at].denominator == b.value()))
        ++at;
      if (at == r.atoms.size()) r.atoms.push_back(std::move(atom));
      quotient[Monomial{static_cast<std::int64_t>(at)}] += 1;
    }
  }
  return Dim::Registry::intern(r, std::move(quotient));
}

std::ostream& operator<<(std::ostream& out, Dim d) {
  if (d.is_constant()) return out << d.value();
  auto& r = DimRegistry::instance();
  const std::lock_guard lock(r.mutex);
  r.print(out, Dim::Registry::polynomial(r, d));
  return out;
}

}  // namespace weft
