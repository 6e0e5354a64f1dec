// Helpers shared by the type rules of several families. Only their implementation files include this header.
#pragma once

#include <string_view>
#include <vector>

#include <weft/base/inline_list.h>
#include <weft/ir/op.h>
#include <weft/ir/ops/window.h>

namespace weft::ir {

// The dims of a result while it is being built.
class DimList : public InlineList<Dim> {
 public:
  using InlineList::InlineList;
  Type type(DType dtype) const { return Type(dtype, std::span(begin(), size())); }
};

// A set of dimensions, one bit each.
using DimSet = std::uint64_t;
constexpr bool has(DimSet set, std::int64_t dim) { return (set >> dim) & 1; }

// Requires distinct dimensions in [0, rank) and returns them as a set.
DimSet require_dimensions(const Call& call, std::string_view name, Ints dims, int rank);
void require_dimension(const Call& call, std::string_view name, std::int64_t dim, int rank);
// Requires `values` to hold one entry for each of `count` dimensions.
void require_count(const Call& call, std::string_view name, Ints values, std::size_t count);
void require_sorted(const Call& call, std::string_view name, Ints values);
// Requires that the operand is in the op's domain.
void require_domain(const Call& call, int operand);
// Requires that the operand is a rank-0 integer, which is used as a position.
void require_index(const Call& call, int operand);
// Requires that the region takes exactly `inputs` and returns exactly `outputs`.
void require_region(const Call& call, std::size_t region, std::span<const Type> inputs, std::span<const Type> outputs);

// Requires a window with positive size, strides and dilations, and returns the number of its positions over `base`. `base` may be
// symbolic if the window visits one element after the other.
Dim window_positions(const Call& call, int dim, const WindowDim& window, Dim base);

}  // namespace weft::ir
