// With which other sizes a function is tried, when those of a call say too little about which of them may change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <weft/jit/dynamic.h>
#include <weft/jit/leaves.h>

namespace weft::jit {

// A size of tensors among the leaves that may be another one, in all places together.
struct ChangingSize {
  std::int64_t now = 0;
  DynamicDim range;
  std::vector<std::pair<std::size_t, int>> places;  // leaf and dimension
};

// Sizes that change together: which of them, and by how many times the step that they take.
struct LinkedSize {
  std::size_t size;
  std::int64_t steps;
  friend auto operator<=>(const LinkedSize&, const LinkedSize&) = default;
};
using LinkedSizes = std::vector<LinkedSize>;

// How these may depend on each other, the likelier first: not at all; those nearest to each other by a difference; one on another by
// a factor. Each size is there once in each of them.
std::vector<std::vector<LinkedSizes>> links_among(std::span<const ChangingSize> sizes);

// These types of the leaves for other sizes, each linked group by a step of its own, so that groups do not seem to depend on each
// other. Empty: a range leaves no other size.
std::vector<Type> other_types(std::span<const Type> types, std::span<const ChangingSize> sizes,
                              std::span<const LinkedSizes> links);

Type with_size(Type type, int dim, std::int64_t size);
std::vector<Type> types_of(std::span<const Leaf> leaves);

// All sizes of the tensors among the leaves; equal ones are one.
std::vector<ChangingSize> all_sizes(std::span<const Leaf> leaves);

}  // namespace weft::jit
