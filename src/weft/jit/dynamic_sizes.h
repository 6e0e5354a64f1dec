// What a compiled function knows of the sizes of its arguments: which were declared to change, and within which limits.
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
  // Adds what marks of these arguments say. Throws ConstraintViolationError, led by the function's name, for a size that is not as
  // was said, or of which two different things were, and Error for what the options contradict; nothing is added then.
  void check(std::span<const Leaf> leaves, std::span<const std::string> paths, const CompileOptions& options);

  // Those declared to change; sizes that were said to be equal are one, and those of a bucket's name change with it only. Empty if
  // nothing is declared, or not all of it is among the leaves. Throws ConstraintViolationError where a range leaves no other size.
  std::vector<ChangingSize> changing(std::span<const Leaf> leaves, std::span<const std::string> paths,
                                     const std::string& function) const;

  // The types of the tensors among the leaves, by leaf, for every other choice of buckets than these are of; at most so many.
  std::vector<std::vector<Type>> other_buckets(std::span<const Leaf> leaves, std::span<const std::string> paths,
                                               std::size_t most) const;

  // Equal for calls of the same buckets.
  std::uint64_t buckets_of(std::span<const Type> types, std::span<const Leaf> leaves,
                           std::span<const std::string> paths) const;

  bool any_dynamic() const;
  bool any_buckets() const;
  std::string text() const;  // dimension 0 of argument images is batch in [1, 512] (train.cpp:9)

 private:
  struct Declared {
    std::string path;  // of the argument
    DynamicMark mark;

    std::string text() const;
  };
  // One of them among the arguments of a call.
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
