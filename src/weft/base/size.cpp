#include <weft/base/size.h>

#include <algorithm>
#include <iterator>
#include <ostream>

#include <weft/base/dim_registry.h>
#include <weft/base/inline_list.h>

namespace weft {

namespace {

// Returns monomial / by, if `by` divides it.
std::optional<Monomial> without(const Monomial& monomial, const Monomial& by) {
  if (!std::ranges::includes(monomial, by)) return std::nullopt;
  Monomial rest;
  std::ranges::set_difference(monomial, by, std::back_inserter(rest));
  return rest;
}

// Returns the term of the highest degree; of several, the last.
std::pair<Monomial, std::int64_t> leading(const Polynomial& p) {
  return *std::ranges::max_element(p, {}, [](const auto& term) { return std::pair(term.first.size(), term.first); });
}

}  // namespace

// Gives access to the expressions of Sizes, and locks them for the lifetime of this object.
class SizeAlgebra {
 public:
  Polynomial polynomial(Size size) const {
    if (size.is_constant()) return size.bits_ == 0 ? Polynomial{} : Polynomial{{Monomial{}, size.bits_}};
    return registry_.expressions[size.index()];
  }
  Size size(Polynomial p) {
    const auto interned = registry_.intern(std::move(p));
    return interned.is_constant ? Size(interned.value) : Size(Size::Encoded{}, interned.value);
  }
  static Polynomial product(const Polynomial& a, const Polynomial& b) { return DimRegistry::multiply(a, b); }
  void print(std::ostream& out, Size size) const { registry_.print(out, polynomial(size)); }
  const Atom& atom(std::int64_t i) const { return registry_.atoms[i]; }

  // Returns the expression with every atom a replaced by low[a] + a.
  Polynomial shifted(const Polynomial& p, const std::map<std::int64_t, std::int64_t>& positive) const {
    Polynomial sum;
    for (const auto& [monomial, coefficient] : p) {
      Polynomial term{{Monomial{}, coefficient}};
      for (const std::int64_t a : monomial) {
        const auto found = positive.find(a);
        const std::int64_t low = std::max(atom(a).min, found == positive.end() ? 0 : found->second);
        Polynomial factor{{Monomial{a}, 1}};
        if (low != 0) factor[Monomial{}] = low;
        term = product(term, factor);
      }
      for (const auto& [m, c] : term) sum[m] = saturating_add(sum[m], c);
    }
    return sum;
  }

 private:
  DimRegistry& registry_ = DimRegistry::instance();
  std::lock_guard<std::mutex> lock_{registry_.mutex};
};

Size Size::combine(Size a, Size b, std::int64_t sign) {
  SizeAlgebra algebra;
  Polynomial sum = algebra.polynomial(a);
  for (const auto& [monomial, coefficient] : algebra.polynomial(b)) sum[monomial] += sign * coefficient;
  return algebra.size(std::move(sum));
}

Size Size::multiply(Size a, Size b) {
  SizeAlgebra algebra;
  return algebra.size(SizeAlgebra::product(algebra.polynomial(a), algebra.polynomial(b)));
}

// Long division by the leading term; it is exact for polynomials with whole coefficients, or fails.
std::optional<Size> Size::divide(Size a, Size divisor) {
  SizeAlgebra algebra;
  Polynomial rest = algebra.polynomial(a);
  const Polynomial by = algebra.polynomial(divisor);
  if (by.empty()) return std::nullopt;
  const auto [by_monomial, by_coefficient] = leading(by);
  Polynomial quotient;
  while (!rest.empty()) {
    const auto [monomial, coefficient] = leading(rest);
    const auto factor = without(monomial, by_monomial);
    if (!factor || coefficient % by_coefficient != 0) return std::nullopt;
    const Polynomial term{{*factor, coefficient / by_coefficient}};
    quotient.insert(*term.begin());
    for (const auto& [m, c] : SizeAlgebra::product(term, by)) {
      std::int64_t& left = rest[m];
      left -= c;
      if (left == 0) rest.erase(m);
    }
  }
  return algebra.size(std::move(quotient));
}

bool Size::shown(Size a, std::span<const Size> positive) {
  SizeAlgebra algebra;
  std::map<std::int64_t, std::int64_t> at_least;
  std::vector<Polynomial> sums;
  for (const Size size : positive) {  // a product is positive if all of its factors are
    Polynomial p = algebra.polynomial(size);
    if (p.size() == 1) {
      for (const std::int64_t atom : p.begin()->first) at_least[atom] = 1;
    } else if (p.size() > 1) {
      sums.push_back(std::move(p));
    }
  }
  const auto has_no_negative_term = [&](const Polynomial& p) {
    return std::ranges::all_of(algebra.shifted(p, at_least), [](const auto& term) { return term.second >= 0; });
  };
  const Polynomial whole = algebra.polynomial(a);
  if (has_no_negative_term(whole)) return true;
  // Each sum is at least 1, so `whole` is not negative if whole - (sum - 1) has no negative term.
  return std::ranges::any_of(sums, [&](const Polynomial& sum) {
    Polynomial rest = whole;
    for (const auto& [monomial, coefficient] : sum) rest[monomial] -= coefficient;
    ++rest[Monomial{}];
    return has_no_negative_term(rest);
  });
}

void Size::not_constant() const { fail("the size ", *this, " is not a constant"); }

std::ostream& operator<<(std::ostream& out, Size size) {
  if (size.is_constant()) return out << size.value();
  SizeAlgebra().print(out, size);
  return out;
}

std::vector<Size> strides_of(std::span<const Dim> dims) {
  std::vector<Size> strides(dims.size());
  Size stride = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

Size product_of(std::span<const Dim> dims) {
  Size product = 1;
  for (const Dim d : dims) product *= d;
  return product;
}

namespace {

// The symbols in which all sized programs are written, and the ordinal of each atom.
struct Symbols {
  std::mutex mutex;
  std::vector<Dim> dims;
  std::map<std::int64_t, int> ordinals;  // by atom

  static Symbols& instance() {
    static auto* symbols = new Symbols;  // never destroyed, like the dims
    return *symbols;
  }
};

}  // namespace

Dim size_symbol(int ordinal) {
  Symbols& symbols = Symbols::instance();
  const std::lock_guard lock(symbols.mutex);
  while (std::ssize(symbols.dims) <= ordinal) {
    const int next = symbols.dims.size();
    symbols.dims.push_back(Dim::symbol(concat('s', next)));
    const SizeAlgebra algebra;
    const Polynomial p = algebra.polynomial(Size(symbols.dims.back()));
    symbols.ordinals[p.begin()->first[0]] = next;
  }
  return symbols.dims[ordinal];
}

void SizeTable::add(Size size) {
  if (size.is_constant() || find(size) >= 0) return;
  Polynomial p;
  {
    const SizeAlgebra algebra;
    p = algebra.polynomial(size);
  }
  Symbols& symbols = Symbols::instance();
  const std::lock_guard lock(symbols.mutex);
  Entry entry{static_cast<int>(terms_.size()), 0};
  for (const auto& [monomial, coefficient] : p) {
    Term term{coefficient, static_cast<int>(factors_.size()), 0};
    for (const std::int64_t atom : monomial) {
      const auto ordinal = symbols.ordinals.find(atom);
      require(ordinal != symbols.ordinals.end(), "the size ", size, " has no value: it is made of other symbols");
      factors_.push_back(ordinal->second);
    }
    term.end = factors_.size();
    terms_.push_back(term);
  }
  entry.end = terms_.size();
  const std::size_t index = size.index();
  if (index >= places_.size()) places_.resize(index + 1, -1);
  places_[index] = entries_.size();
  entries_.push_back(entry);
}

std::uint64_t SizeTable::symbols(Size size) const {
  if (size.is_constant()) return 0;
  const Entry& entry = entries_.at(find(size));
  std::uint64_t bits = 0;
  for (int t = entry.first; t < entry.end; ++t) {
    const Term& term = terms_[t];
    for (int f = term.first; f < term.end; ++f) bits |= std::uint64_t{1} << std::min(factors_[f], 63);
  }
  return bits;
}

std::vector<std::int64_t> SizeTable::evaluate(std::span<const std::int64_t> symbols) const {
  std::vector<std::int64_t> results;
  results.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    std::int64_t sum = 0;
    for (int t = entry.first; t < entry.end; ++t) {
      const Term& term = terms_[t];
      std::int64_t product = term.coefficient;
      for (int f = term.first; f < term.end; ++f) product *= symbols[factors_[f]];
      sum += product;
    }
    results.push_back(sum);
  }
  return results;
}

SizeValues::SizeValues(std::vector<std::int64_t> symbols, const SizeTable* table)
    : symbols_(std::move(symbols)), table_(table) {
  if (table_) results_ = table_->evaluate(symbols_);
}

std::vector<std::int64_t> SizeValues::operator()(std::span<const Size> sizes) const {
  std::vector<std::int64_t> values;
  values.reserve(sizes.size());
  for (const Size size : sizes) values.push_back((*this)(size));
  return values;
}

std::int64_t SizeValues::evaluate(Size size) const {
  if (const int known = table_ ? table_->find(size) : -1; known >= 0) return results_[known];
  SizeTable alone;
  alone.add(size);
  return alone.evaluate(symbols_)[0];
}

Type SizeValues::evaluate(Type type) const {
  InlineList<Dim> dims;
  for (const Dim dim : type.dims()) dims.push_back(Dim((*this)(dim)));
  return Type(type.dtype(), std::span(dims.begin(), dims.size()));
}

}  // namespace weft
