// Names for sizes of which only samples are known: symbols, and expressions of them.
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
  using Numbers = std::vector<std::int64_t>;  // a size in each of the samples

  struct Beliefs {
    std::int64_t most_apart =
        0;                 // sizes that are at most so far apart, and in all samples as far, follow from one another
    bool in_sums = false;  // and so does one that is the sum of two others in all samples
  };
  explicit SizeNames(Beliefs beliefs) : beliefs_(beliefs) {}

  // A size that follows from no other. Equal or proportional ones get one symbol; whether it is a new one.
  bool add_symbol(const Numbers& numbers);

  // The expression that has these values in the samples; empty: none was found. A size that the host gave is seldom one with a
  // sum in it, and a quotient never.
  std::optional<Dim> express(const Numbers& numbers, bool is_no_sum = false);

  // What a type rule says about a size comes before what numbers suggest.
  void learn(const Numbers& numbers, Dim dim);

  static bool is_constant(const Numbers& numbers);
  // The whole number that times `of` is `numbers`.
  static std::optional<std::int64_t> ratio(const Numbers& numbers, const Numbers& of);
  // How much more `numbers` is than `of` in all samples.
  static std::optional<std::int64_t> difference(const Numbers& numbers, const Numbers& of);

 private:
  void make_products();
  std::optional<Dim> near(const Numbers& numbers) const;
  std::optional<Dim> sum(const Numbers& numbers) const;

  Beliefs beliefs_;
  std::vector<Numbers> symbols_;
  std::map<Numbers, Dim> known_;
  std::vector<std::pair<Numbers, Dim>> products_;  // of symbols, lower degrees first
};

}  // namespace weft::ir
