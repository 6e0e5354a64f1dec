// Where an element of a value is, as a function of the iteration domain of a kernel: affine in the domain's axes. Shape ops are
// not executed but pushed into these functions: reading through a transpose is reading with other coefficients. All numbers are
// Sizes: what is said of them holds for every value of the symbols for which the domain has a point at all, so that a size of 1 or 0
// needs no code of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <weft/base/size.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// offset + sum of coefficient * axis. Missing trailing coefficients are zero.
struct Affine {
  Size offset = 0;
  std::vector<Size> coefficients;

  Size coefficient(std::size_t axis) const { return axis < coefficients.size() ? coefficients[axis] : Size(0); }
  bool is_constant() const;
  void add(const Affine& other, Size factor);

  friend bool operator==(const Affine& a, const Affine& b);
};

Affine axis_index(std::size_t axis);

// The position of an element: one function for each dimension of its tensor.
using Index = std::vector<Affine>;

// 0 <= index < size, without which the element does not exist (the outside of a pad, the other parts of a concatenation).
struct Bound {
  Affine index;
  Size size;

  friend bool operator==(const Bound&, const Bound&) = default;
};

// An axis that must be cut in two before an index becomes affine: the inner part has `inner` iterations.
struct Split {
  std::size_t axis = 0;
  Size inner = 0;
};

// sum of index[i] * row-major stride of dimension i.
Affine linearise(const Index& index, std::span<const Dim> dims);

// The inverse, for an affine position in a tensor of these dims over a domain of these axis sizes. Empty if it is not affine;
// `split` then says which cut would help, if one would.
std::optional<Index> delinearise(const Affine& position, std::span<const Dim> dims, std::span<const Size> axes,
                                 std::optional<Split>& split);

// The element of the operand that element `index` of the result of a shape op is: broadcast_in_dim, reshape, transpose, slice,
// reverse; for pad and concatenate (with the operand's number) the element if the bounds added to `bounds` hold.
std::optional<Index> operand_index(const ir::Node& node, int operand, const Index& index, std::span<const Size> axes,
                                   std::vector<Bound>& bounds, std::optional<Split>& split);

// Whether operand_index knows the op.
bool moves_elements(const ir::Node& node);

// Least and greatest value over the domain; empty if the signs of its terms are not known.
std::optional<std::pair<Size, Size>> range(const Affine& affine, std::span<const Size> axes);

// The value whose bytes `value` has: through reshapes, which move nothing.
ir::Value storage_of(ir::Value value);

// A strided view of a stored value: strides in elements, one for each dimension of what is seen.
struct View {
  ir::Value base;
  Size offset = 0;
  std::vector<Size> strides;
};

// Sees through shape ops as far as the result is a plain strided view; stops early at values for which `stored` holds.
template <class Stored>
View view_of(ir::Value value, Stored&& stored);
View view_through(ir::Value value, bool (*stored)(const void* context, ir::Value), const void* context);
template <class Stored>
View view_of(ir::Value value, Stored&& stored) {
  return view_through(
      value,
      [](const void* context, ir::Value v) {
        return (*static_cast<const std::remove_reference_t<Stored>*>(context))(v);
      },
      &stored);
}

}  // namespace weft::compiler
