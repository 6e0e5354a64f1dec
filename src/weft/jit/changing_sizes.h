// Chooses the other sizes with which a function is sampled, when a single call does not show which of its sizes may
// change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <weft/jit/dynamic.h>
#include <weft/jit/leaves.h>

namespace weft::jit {

// A size of tensor arguments that may change; it changes in all its places together.
struct ChangingSize {
  std::int64_t now = 0;
  DynamicDim range;
  std::vector<std::pair<std::size_t, int>> places;  // leaf and dimension
};

// A size that changes together with others of its group, by `steps` times the step of the group.
struct LinkedSize {
  std::size_t size;
  std::int64_t steps;
  friend auto operator<=>(const LinkedSize&, const LinkedSize&) = default;
};
using LinkedSizes = std::vector<LinkedSize>;

// Returns the ways in which the sizes may depend on each other, the most likely first: all independent; neighbours that
// differ by the same distance linked; one size linked to another by a factor. Each way contains every size once.
std::vector<std::vector<LinkedSizes>> links_among(std::span<const ChangingSize> sizes);

// Returns the types of the leaves for other sizes. Each linked group changes by a different step, so that groups do not
// seem to depend on each other. Returns an empty list if a range leaves no other size.
std::vector<Type> other_types(std::span<const Type> types, std::span<const ChangingSize> sizes,
                              std::span<const LinkedSizes> links);

Type with_size(Type type, int dim, std::int64_t size);
std::vector<Type> types_of(std::span<const Leaf> leaves);

// Returns all sizes of the tensors among the leaves; equal sizes are one entry.
std::vector<ChangingSize> all_sizes(std::span<const Leaf> leaves);

}  // namespace weft::jit
