// Says where an element of a value lies, as an affine function of the axes of a kernel's iteration domain. Shape ops are not executed but
// composed into these functions: reading through a transpose is reading with other coefficients. All numbers are Sizes. Statements about
// them hold for every value of the symbols for which the domain is not empty, so sizes of 1 or 0 need no special code.
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

// The condition 0 <= index < size; where it fails, the element does not exist (outside of a pad's operand, in another part of a
// concatenation).
struct Bound {
  Affine index;
  Size size;

  friend bool operator==(const Bound&, const Bound&) = default;
};

// An axis that must be split in two to make an index affine: the inner part has `inner` iterations.
struct Split {
  std::size_t axis = 0;
  Size inner = 0;
};

// Returns the sum of index[i] * row-major stride of dimension i.
Affine linearise(const Index& index, std::span<const Dim> dims);

// The inverse of linearise, for an affine position in a tensor of these dims over a domain with these axis sizes. Returns nullopt if the
// index is not affine; `split` then says which split would help, if any.
std::optional<Index> delinearise(const Affine& position, std::span<const Dim> dims, std::span<const Size> axes,
                                 std::optional<Split>& split);

// Returns which element of the operand is element `index` of the result of a shape op: broadcast_in_dim, reshape, transpose, slice,
// reverse. For pad and concatenate (with the operand's number), the element counts only where the bounds that are added to `bounds` hold.
std::optional<Index> operand_index(const ir::Node& node, int operand, const Index& index, std::span<const Size> axes,
                                   std::vector<Bound>& bounds, std::optional<Split>& split);

// Returns whether operand_index supports the op.
bool moves_elements(const ir::Node& node);

// Returns the minimum and the maximum over the domain; nullopt if the signs of the terms are not known.
std::optional<std::pair<Size, Size>> range(const Affine& affine, std::span<const Size> axes);

// Returns the value whose bytes `value` shares, looking through reshapes, which move nothing.
ir::Value storage_of(ir::Value value);

// A strided view of a stored value: strides in elements, one for each dimension of the view.
struct View {
  ir::Value base;
  Size offset = 0;
  std::vector<Size> strides;
};

// Looks through shape ops as long as the result is a plain strided view; stops early at values for which `stored` holds.
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
