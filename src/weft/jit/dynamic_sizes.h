// What a compiled function knows about the sizes of its arguments: which sizes were declared to change, and within
// which limits.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <weft/jit/changing_sizes.h>
#include <weft/jit/dynamic.h>
#include <weft/jit/leaves.h>
#include <weft/jit/options.h>

namespace weft::jit {

class DynamicSizes {
 public:
  // Adds the marks of these arguments. Throws ConstraintViolationError, which starts with the function's name, if a
  // size violates its mark or if two marks of a size differ, and Error if a mark contradicts the options; then nothing
  // is added.
  void check(std::span<const Leaf> leaves, std::span<const std::string> paths, const CompileOptions& options);

  // Returns the sizes that were declared dynamic; sizes that must be equal are one entry, and sizes with the name of a
  // bucketed size are excluded. Returns an empty list if nothing is declared, or if some declared argument is not among
  // the leaves. Throws ConstraintViolationError if a range leaves no other size.
  std::vector<ChangingSize> changing(std::span<const Leaf> leaves, std::span<const std::string> paths,
                                     const std::string& function) const;

  // Returns the leaves' types for every other combination of buckets, at most `most` combinations.
  std::vector<std::vector<Type>> other_buckets(std::span<const Leaf> leaves, std::span<const std::string> paths,
                                               std::size_t most) const;

  // Returns a hash that is equal for calls with the same buckets.
  std::uint64_t buckets_of(std::span<const Type> types, std::span<const Leaf> leaves,
                           std::span<const std::string> paths) const;

  bool any_dynamic() const;
  bool any_buckets() const;
  std::string text() const;  // such as: dimension 0 of argument images is batch in [1, 512] (train.cpp:9)

 private:
  struct Declared {
    std::string path;  // of the argument
    DynamicMark mark;

    std::string text() const;
  };
  // A declaration that applies to one of the arguments of a call.
  struct Present {
    std::size_t leaf;
    const Declared* declared;

    const DynamicMark& mark() const { return declared->mark; }
  };
  static std::vector<Present> present(std::span<const Declared> declared, std::span<const Leaf> leaves,
                                      std::span<const std::string> paths);
  bool is_of_buckets(const DynamicMark& mark) const;
  void require_options_allow(const CompileOptions& options) const;

  std::vector<Declared> declared_;
};

}  // namespace weft::jit
