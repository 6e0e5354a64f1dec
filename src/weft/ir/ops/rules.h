// What the type rules of several families share. Included by their implementation files only.
#pragma once

#include <string_view>
#include <vector>

#include <weft/ir/op.h>
#include <weft/ir/ops/window.h>

namespace weft::ir {

// The dims of a result while it is put together; at most Type::max_rank of them, on the stack.
class DimList {
 public:
  DimList() = default;
  explicit DimList(std::span<const Dim> dims) {
    for (const Dim d : dims) push(d);
  }
  void push(Dim d) {
    require(count_ < Type::max_rank, "a tensor has at most ", Type::max_rank, " dimensions");
    dims_[count_++] = d;
  }
  Dim& operator[](std::int64_t i) { return dims_[i]; }
  Type type(DType dtype) const { return Type(dtype, std::span(dims_.data(), count_)); }

 private:
  std::array<Dim, Type::max_rank> dims_;
  std::size_t count_ = 0;
};

// A set of dimensions, one bit each.
using DimSet = std::uint64_t;
constexpr bool has(DimSet set, std::int64_t dim) { return (set >> dim) & 1; }

// Requires dimensions in [0, rank) that differ; the set of them.
DimSet require_dimensions(const Call& call, std::string_view name, Ints dims, int rank);
void require_dimension(const Call& call, std::string_view name, std::int64_t dim, int rank);
// Requires `values` to hold one entry for each of `count` dimensions.
void require_count(const Call& call, std::string_view name, Ints values, std::size_t count);
void require_sorted(const Call& call, std::string_view name, Ints values);
// Requires an operand of the op's domain.
void require_domain(const Call& call, int operand);
// Requires a rank-0 integer: a position.
void require_index(const Call& call, int operand);
// Requires the region to take exactly `inputs` and to return exactly `outputs`.
void require_region(const Call& call, std::size_t region, std::span<const Type> inputs, std::span<const Type> outputs);

// Requires a window with positive size, strides and dilations; the number of its positions over a base of this size, which may be
// symbolic where the window goes from one element to the next.
Dim window_positions(const Call& call, int dim, const WindowDim& window, Dim base);

}  // namespace weft::ir
