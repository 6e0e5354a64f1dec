#include <weft/ir/size_names.h>

#include <algorithm>
#include <ranges>

namespace weft::ir {

namespace {

constexpr int highest_degree = 3;  // of products of symbols

}  // namespace

bool SizeNames::add_symbol(const Numbers& numbers) {
  if (is_constant(numbers) || known_.contains(numbers)) return false;
  for (std::size_t i = 0; i < symbols_.size(); ++i)
    if (const auto factor = ratio(numbers, symbols_[i]))
      return known_.emplace(numbers, Dim(*factor) * size_symbol(i)), false;
  if (const auto dim = near(numbers)) return known_.emplace(numbers, *dim), false;
  if (const auto dim = sum(numbers)) return known_.emplace(numbers, *dim), false;
  const Dim symbol = size_symbol(symbols_.size());
  symbols_.push_back(numbers);
  products_.clear();
  known_.emplace(numbers, symbol);
  return true;
}

// Returns the nearest smaller known size plus the difference.
std::optional<Dim> SizeNames::near(const Numbers& numbers) const {
  std::int64_t nearest = beliefs_.most_apart + 1;
  std::optional<Dim> dim;
  for (const auto& [values, known] : known_) {
    const std::int64_t more = difference(numbers, values).value_or(0);
    if (more > 0 && more < nearest) nearest = more, dim = known + Dim(more);
  }
  return dim;
}

std::optional<Dim> SizeNames::sum(const Numbers& numbers) const {
  if (!beliefs_.in_sums) return std::nullopt;
  for (std::size_t a = 0; a < symbols_.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const auto is_sum = [&](std::size_t i) { return numbers[i] == symbols_[a][i] + symbols_[b][i]; };
      if (std::ranges::all_of(std::views::iota(std::size_t{0}, numbers.size()), is_sum))
        return size_symbol(a) + size_symbol(b);
    }
  return std::nullopt;
}

std::optional<Dim> SizeNames::express(const Numbers& numbers, bool is_no_sum) {
  if (is_constant(numbers)) return Dim(numbers[0]);
  if (const auto found = known_.find(numbers); found != known_.end()) return found->second;
  if (products_.empty()) make_products();
  for (const auto& [values, product] : products_)
    if (const auto factor = ratio(numbers, values)) return Dim(*factor) * product;
  if (const auto dim = sum(numbers)) return dim;
  if (is_no_sum) return std::nullopt;
  for (const auto& [values, product] : products_) {
    const std::int64_t run = values[1] - values[0];
    if (run == 0 || (numbers[1] - numbers[0]) % run != 0) continue;
    const std::int64_t slope = (numbers[1] - numbers[0]) / run, rest = numbers[0] - slope * values[0];
    bool fits = slope > 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) fits = fits && numbers[i] == slope * values[i] + rest;
    if (fits) return rest < 0 ? Dim(slope) * product - Dim(-rest) : Dim(slope) * product + Dim(rest);
  }
  return std::nullopt;
}

std::optional<std::int64_t> SizeNames::ratio(const Numbers& numbers, const Numbers& of) {
  if (of[0] == 0 || numbers[0] % of[0] != 0 || numbers[0] == 0) return std::nullopt;
  const std::int64_t factor = numbers[0] / of[0];
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != factor * of[i]) return std::nullopt;
  return factor;
}

std::optional<std::int64_t> SizeNames::difference(const Numbers& numbers, const Numbers& of) {
  const std::int64_t more = numbers[0] - of[0];
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] - of[i] != more) return std::nullopt;
  return more;
}

void SizeNames::learn(const Numbers& numbers, Dim dim) {
  if (!is_constant(numbers)) known_.emplace(numbers, dim);
}

bool SizeNames::is_constant(const Numbers& numbers) {
  return std::ranges::all_of(numbers, [&](std::int64_t n) { return n == numbers[0]; });
}

void SizeNames::make_products() {
  std::size_t first = 0;
  for (int degree = 1; degree <= highest_degree; ++degree) {
    const std::size_t end = products_.size();
    for (std::size_t s = 0; s < symbols_.size(); ++s) {
      const Dim symbol = size_symbol(s);
      if (degree == 1) products_.emplace_back(symbols_[s], symbol);
      for (std::size_t p = first; degree > 1 && p < end; ++p) {
        Numbers values = products_[p].first;
        for (std::size_t i = 0; i < values.size(); ++i) values[i] *= symbols_[s][i];
        products_.emplace_back(std::move(values), products_[p].second * symbol);
      }
    }
    first = end;
  }
}

}  // namespace weft::ir
