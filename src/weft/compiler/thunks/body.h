// The compiled body of a reduction, a scatter or a sort: a function of rank-0 values that thunks call for many rows at once.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <weft/compiler/loop/kernel_source.h>
#include <weft/compiler/thunks/region.h>

namespace weft::compiler {

// Thread-safe.
class Body {
 public:
  Body(const ir::Graph& graph, const NativeContext& context);

  // Applies the body as a BodyKernel does: with machine code, or, if the body has more than elementwise ops, with its executable row by
  // row.
  void apply(std::int64_t outer, std::int64_t inner, std::byte* const* buffers, const std::int64_t* outer_strides,
             const std::int64_t* inner_strides) const {
    if (routine_)
      reinterpret_cast<BodyKernel>(routine_->address)(outer, inner, buffers, outer_strides, inner_strides);
    else
      apply_region(outer, inner, buffers, outer_strides, inner_strides);
  }
  // Returns the size in bytes of an element of each input, then of each output.
  std::span<const std::int64_t> widths() const { return widths_; }

  // Applies the body to one row.
  void apply(std::byte* const* buffers) const { apply(1, 1, buffers, no_strides_.data(), no_strides_.data()); }

 private:
  void apply_region(std::int64_t outer, std::int64_t inner, std::byte* const* buffers,
                    const std::int64_t* outer_strides, const std::int64_t* inner_strides) const;

  std::shared_ptr<const Routine> routine_;
  std::unique_ptr<const Region> region_;
  std::size_t inputs_;
  std::vector<std::int64_t> widths_, no_strides_;
};

// The position of row (i, j) of a set of values: (start + i * outer + j * inner) elements behind its address.
struct Rows {
  std::int64_t start = 0, outer = 0, inner = 0;
};

// Folds with a body of two sets of values, accumulators and elements: accumulator (i, j) of each set becomes body(accumulator (i, j),
// element (i, j)), one row after another. Keeps the addresses of a call, so each thread needs its own.
class Fold {
 public:
  explicit Fold(const Body& body)
      : body_(body), buffers_(body.widths().size()), outer_(buffers_.size()), inner_(buffers_.size()) {}

  void run(std::int64_t outer, std::int64_t inner, std::span<std::byte* const> into, const Rows& to,
           std::span<std::byte* const> from, const Rows& of) {
    run(outer, inner, into, to, from, [&](std::size_t) -> const Rows& { return of; });
  }
  // Takes the elements of each set from different positions.
  void run(std::int64_t outer, std::int64_t inner, std::span<std::byte* const> into, const Rows& to,
           std::span<std::byte* const> from, std::span<const Rows> of) {
    run(outer, inner, into, to, from, [&](std::size_t i) -> const Rows& { return of[i]; });
  }

 private:
  template <class PlaceOf>
    requires std::invocable<PlaceOf, std::size_t>
  void run(std::int64_t outer, std::int64_t inner, std::span<std::byte* const> into, const Rows& to,
           std::span<std::byte* const> from, PlaceOf&& place_of) {
    const std::size_t n = into.size();
    const std::span<const std::int64_t> widths = body_.widths();
    const auto place = [&](std::size_t buffer, std::byte* base, const Rows& rows) {
      buffers_[buffer] = base + rows.start * widths[buffer];
      outer_[buffer] = rows.outer * widths[buffer];
      inner_[buffer] = rows.inner * widths[buffer];
    };
    for (std::size_t i = 0; i < n; ++i) {
      place(i, into[i], to);
      place(n + i, from[i], place_of(i));
      place(2 * n + i, into[i], to);
    }
    body_.apply(outer, inner, buffers_.data(), outer_.data(), inner_.data());
  }

  const Body& body_;
  std::vector<std::byte*> buffers_;
  std::vector<std::int64_t> outer_, inner_;
};

// Writes `count` elements of `width` bytes, all equal to the one at `value`.
void fill_elements(std::byte* to, const std::byte* value, std::int64_t width, std::int64_t count);

}  // namespace weft::compiler
