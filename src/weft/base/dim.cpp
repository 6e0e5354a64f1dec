#include <weft/base/dim.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <ostream>
#include <utility>
#include <vector>

namespace weft {

namespace {

constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();

std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  if (!__builtin_mul_overflow(a, b, &result)) return result;
  return (a < 0) == (b < 0) ? unbounded : -unbounded;
}

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  if (!__builtin_add_overflow(a, b, &result)) return result;
  return a > 0 ? unbounded : -unbounded;
}

// A product of atoms (registry indices of symbols and quotients), sorted. The empty product is 1.
using Monomial = std::vector<std::int64_t>;
// Sum of coefficient * monomial, without zero coefficients.
using Polynomial = std::map<Monomial, std::int64_t>;

struct Atom {
  std::string name;  // of a symbol; empty for a quotient
  std::int64_t min = 0, max = unbounded, divisor = 1;
  Polynomial numerator;
  std::int64_t denominator = 1;
};

}  // namespace

struct Dim::Registry {
  std::mutex mutex;
  std::deque<Atom> atoms;
  std::deque<Polynomial> expressions;
  std::map<Polynomial, std::int64_t> index;

  static Registry& instance() {
    static auto* registry = new Registry;  // never destroyed: dims outlive everything
    return *registry;
  }

  Polynomial polynomial(Dim d) const {
    if (!d.is_constant()) return expressions[static_cast<std::size_t>(~d.bits_)];
    return d.bits_ == 0 ? Polynomial{} : Polynomial{{Monomial{}, d.bits_}};
  }

  Dim intern(Polynomial p) {
    std::erase_if(p, [](const auto& term) { return term.second == 0; });
    if (p.empty()) return Dim(0);
    if (p.size() == 1 && p.begin()->first.empty()) {
      require(p.begin()->second >= 0, "a dimension cannot be negative, got ", p.begin()->second);
      return Dim(p.begin()->second);
    }
    const auto [at, inserted] = index.try_emplace(p, static_cast<std::int64_t>(expressions.size()));
    if (inserted) expressions.push_back(std::move(p));
    Dim result;
    result.bits_ = ~at->second;
    return result;
  }

  static Polynomial multiply(const Polynomial& a, const Polynomial& b) {
    Polynomial product;
    for (const auto& [ma, ca] : a) {
      for (const auto& [mb, cb] : b) {
        Monomial m = ma;
        m.insert(m.end(), mb.begin(), mb.end());
        std::ranges::sort(m);
        auto& coefficient = product[m];
        coefficient = saturating_add(coefficient, saturating_multiply(ca, cb));
      }
    }
    return product;
  }

  std::pair<std::int64_t, std::int64_t> bounds(const Polynomial& p) const {
    std::int64_t low = 0, high = 0;
    for (const auto& [monomial, coefficient] : p) {
      std::int64_t least = coefficient, most = coefficient;
      for (const std::int64_t a : monomial) {
        least = saturating_multiply(least, atoms[static_cast<std::size_t>(a)].min);
        most = saturating_multiply(most, atoms[static_cast<std::size_t>(a)].max);
      }
      if (coefficient < 0) std::swap(least, most);
      // What is unbounded stays so.
      low = low == -unbounded || least == -unbounded ? -unbounded : saturating_add(low, least);
      high = high == unbounded || most == unbounded ? unbounded : saturating_add(high, most);
    }
    return {std::max<std::int64_t>(low, 0), high};
  }

  std::int64_t divisor(const Polynomial& p) const {
    std::int64_t result = 0;
    for (const auto& [monomial, coefficient] : p) {
      std::int64_t term = std::abs(coefficient);
      for (const std::int64_t a : monomial)
        term = saturating_multiply(term, atoms[static_cast<std::size_t>(a)].divisor);
      result = std::gcd(result, term);
    }
    return result;
  }

  void print(std::ostream& out, const Polynomial& p) const {
    bool first = true;
    for (auto term = p.rbegin(); term != p.rend(); ++term) {  // the constant, if any, comes last
      const auto& [monomial, coefficient] = *term;
      if (!first) out << (coefficient < 0 ? " - " : " + ");
      if (first && coefficient < 0) out << '-';
      first = false;
      bool factor = false;
      if (monomial.empty() || std::abs(coefficient) != 1) {
        out << std::abs(coefficient);
        factor = true;
      }
      for (const std::int64_t a : monomial) {
        const Atom& atom = atoms[static_cast<std::size_t>(a)];
        if (std::exchange(factor, true)) out << " * ";
        if (!atom.name.empty()) {
          out << atom.name;
        } else {
          out << "floor((";
          print(out, atom.numerator);
          out << ") / " << atom.denominator << ')';
        }
      }
    }
  }
};

Dim Dim::symbol(std::string name, std::int64_t min, std::int64_t max, std::int64_t multiple_of) {
  require(!name.empty(), "Dim::symbol: a symbol needs a name");
  require(min >= 0 && min <= max && multiple_of >= 1, "Dim::symbol: ", name,
          ": expected 0 <= min <= max and multiple_of >= 1, got min ", min, ", max ", max, ", multiple_of ",
          multiple_of);
  auto& r = Registry::instance();
  const std::lock_guard lock(r.mutex);
  r.atoms.push_back({.name = std::move(name), .min = min, .max = max, .divisor = multiple_of, .numerator = {}});
  return r.intern({{Monomial{static_cast<std::int64_t>(r.atoms.size()) - 1}, 1}});
}

std::int64_t Dim::min() const {
  if (is_constant()) return bits_;
  auto& r = Registry::instance();
  const std::lock_guard lock(r.mutex);
  return r.bounds(r.polynomial(*this)).first;
}

std::int64_t Dim::max() const {
  if (is_constant()) return bits_;
  auto& r = Registry::instance();
  const std::lock_guard lock(r.mutex);
  return r.bounds(r.polynomial(*this)).second;
}

std::int64_t Dim::divisor() const {
  if (is_constant()) return bits_;
  auto& r = Registry::instance();
  const std::lock_guard lock(r.mutex);
  return r.divisor(r.polynomial(*this));
}

void Dim::not_constant() const { fail("the dimension ", *this, " is not a constant"); }

Dim operator+(Dim a, Dim b) {
  if (a.is_constant() && b.is_constant()) return {saturating_add(a.bits_, b.bits_)};
  auto& r = Dim::Registry::instance();
  const std::lock_guard lock(r.mutex);
  auto sum = r.polynomial(a);
  for (const auto& [monomial, coefficient] : r.polynomial(b)) sum[monomial] += coefficient;
  return r.intern(std::move(sum));
}

Dim operator-(Dim a, Dim b) {
  auto& r = Dim::Registry::instance();
  const std::lock_guard lock(r.mutex);
  auto difference = r.polynomial(a);
  for (const auto& [monomial, coefficient] : r.polynomial(b)) difference[monomial] -= coefficient;
  return r.intern(std::move(difference));
}

Dim operator*(Dim a, Dim b) {
  if (a.is_constant() && b.is_constant()) return {saturating_multiply(a.bits_, b.bits_)};
  auto& r = Dim::Registry::instance();
  const std::lock_guard lock(r.mutex);
  return r.intern(Dim::Registry::multiply(r.polynomial(a), r.polynomial(b)));
}

Dim floor_divide(Dim a, Dim b) {
  require(b.is_constant() && b.value() > 0, "floor_divide: the divisor must be a positive constant, got ", b);
  if (a.is_constant()) return {a.value() / b.value()};
  auto& r = Dim::Registry::instance();
  const std::lock_guard lock(r.mutex);
  Polynomial quotient,
      rest;  // what b divides leaves the floor; coefficients of the rest are at least 0 and less than b
  for (const auto& [monomial, coefficient] : r.polynomial(a)) {
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
  return r.intern(std::move(quotient));
}

std::ostream& operator<<(std::ostream& out, Dim d) {
  if (d.is_constant()) return out << d.value();
  auto& r = Dim::Registry::instance();
  const std::lock_guard lock(r.mutex);
  r.print(out, r.polynomial(d));
  return out;
}

}  // namespace weft
