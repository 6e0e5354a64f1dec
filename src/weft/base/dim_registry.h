// The registry of the expressions of Dims and Sizes: interned polynomials in normal form. Internal to base.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <weft/base/error.h>

namespace weft {

inline constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();

inline std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  if (!__builtin_mul_overflow(a, b, &result)) return result;
  return (a < 0) == (b < 0) ? unbounded : -unbounded;
}

inline std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  if (!__builtin_add_overflow(a, b, &result)) return result;
  return a > 0 ? unbounded : -unbounded;
}

// A product of atoms (registry indices of symbols and quotients), sorted. The empty product is 1.
using Monomial = std::vector<std::int64_t>;
// A sum of coefficient * monomial, without zero coefficients.
using Polynomial = std::map<Monomial, std::int64_t>;

struct Atom {
  std::string name;  // the symbol's name; empty for a quotient
  std::int64_t min = 0, max = unbounded, divisor = 1;
  Polynomial numerator;
  std::int64_t denominator = 1;
};

// Dims and Sizes that are not constant are indices into `expressions`.
struct DimRegistry {
  std::mutex mutex;
  std::deque<Atom> atoms;
  std::deque<Polynomial> expressions;
  std::map<Polynomial, std::int64_t> index;

  static DimRegistry& instance() {
    static auto* registry = new DimRegistry;  // never destroyed: dims outlive everything
    return *registry;
  }

  // The value is the constant, or else the index of the expression.
  struct Interned {
    std::int64_t value;
    bool is_constant;
  };
  Interned intern(Polynomial p) {
    std::erase_if(p, [](const auto& term) { return term.second == 0; });
    if (p.empty()) return {0, true};
    if (p.size() == 1 && p.begin()->first.empty()) return {p.begin()->second, true};
    const auto [at, inserted] = index.try_emplace(p, std::ssize(expressions));
    if (inserted) expressions.push_back(std::move(p));
    return {at->second, false};
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
        least = saturating_multiply(least, atoms[a].min);
        most = saturating_multiply(most, atoms[a].max);
      }
      if (coefficient < 0) std::swap(least, most);
      // An unbounded sum stays unbounded.
      low = low == -unbounded || least == -unbounded ? -unbounded : saturating_add(low, least);
      high = high == unbounded || most == unbounded ? unbounded : saturating_add(high, most);
    }
    return {std::max<std::int64_t>(low, 0), high};
  }

  std::int64_t divisor(const Polynomial& p) const {
    std::int64_t result = 0;
    for (const auto& [monomial, coefficient] : p) {
      std::int64_t term = std::abs(coefficient);
      for (const std::int64_t a : monomial) term = saturating_multiply(term, atoms[a].divisor);
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
        const Atom& atom = atoms[a];
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

}  // namespace weft
