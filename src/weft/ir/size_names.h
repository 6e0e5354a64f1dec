// Finds names for sizes that are known only from samples: symbols, and expressions of symbols.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <weft/base/size.h>

namespace weft::ir {

// Not thread-safe.
class SizeNames {
 public:
  using Numbers = std::vector<std::int64_t>;  // the values of one size, one per sample

  struct Beliefs {
    // Sizes whose difference is the same in all samples, and at most this, follow from one another.
    std::int64_t most_apart = 0;
    bool in_sums = false;  // a size that is the sum of two others in all samples follows from them
  };
  explicit SizeNames(Beliefs beliefs) : beliefs_(beliefs) {}

  // Adds a size that should follow from no other. Sizes that are equal or proportional share one symbol. Returns whether a new
  // symbol was made.
  bool add_symbol(const Numbers& numbers);

  // Returns the expression that has these values in the samples, or nullopt if none was found. With `is_no_sum`, offsets are not
  // tried: a size that the host supplied rarely contains a sum, and never a quotient.
  std::optional<Dim> express(const Numbers& numbers, bool is_no_sum = false);

  // Records an expression for these values; a result of a type rule is preferred to a guess from numbers.
  void learn(const Numbers& numbers, Dim dim);

  static bool is_constant(const Numbers& numbers);
  // Returns the integer by which `of` must be multiplied to give `numbers` in all samples.
  static std::optional<std::int64_t> ratio(const Numbers& numbers, const Numbers& of);
  // Returns the amount by which `numbers` exceeds `of` in all samples.
  static std::optional<std::int64_t> difference(const Numbers& numbers, const Numbers& of);

 private:
  void make_products();
  std::optional<Dim> near(const Numbers& numbers) const;
  std::optional<Dim> sum(const Numbers& numbers) const;

  Beliefs beliefs_;
  std::vector<Numbers> symbols_;
  std::map<Numbers, Dim> known_;
  std::vector<std::pair<Numbers, Dim>> products_;  // products of symbols, lower degrees first
};

}  // namespace weft::ir
