// The body of a reduction, a scatter or a sort, compiled: a function of rank-0 values that thunks call for many rows at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <weft/compiler/llvm/jit.h>
#include <weft/compiler/thunks/region.h>

namespace weft::compiler {

// Thread-safe.
class Body {
 public:
  Body(const ir::Graph& graph, const NativeContext& context);

  // As a BodyKernel: machine code of its own, or where the body is more than elementwise ops, its executable row by row.
  void apply(std::int64_t count, std::byte* const* buffers, const std::int64_t* strides) const {
    if (code_.kernel)
      code_.kernel(count, buffers, strides);
    else
      apply_region(count, buffers, strides);
  }

 private:
  void apply_region(std::int64_t count, std::byte* const* buffers, const std::int64_t* strides) const;

  BodyCode code_;
  std::unique_ptr<const Region> region_;
  std::size_t inputs_;
  std::vector<std::size_t> output_widths_;
};

// Folding with a body of two sets of values, accumulators and elements: accumulator j of each set becomes
// body(accumulator j, element j), for one j after another. One thread's: it keeps the addresses of a call.
class Fold {
 public:
  Fold(const Body& body, std::vector<std::int64_t> widths)
      : body_(body), widths_(std::move(widths)), buffers_(3 * widths_.size()), strides_(buffers_.size()) {}

  // Row j of set i lies at into[i] + (into_at + j * into_step) elements, and at from[i] + (from_at + j * from_step) elements.
  void run(std::int64_t count, std::span<std::byte* const> into, std::int64_t into_at, std::int64_t into_step,
           std::span<std::byte* const> from, std::int64_t from_at, std::int64_t from_step) {
    const std::size_t n = widths_.size();
    for (std::size_t i = 0; i < n; ++i) {
      buffers_[i] = buffers_[2 * n + i] = into[i] + into_at * widths_[i];
      strides_[i] = strides_[2 * n + i] = into_step * widths_[i];
      buffers_[n + i] = from[i] + from_at * widths_[i];
      strides_[n + i] = from_step * widths_[i];
    }
    body_.apply(count, buffers_.data(), strides_.data());
  }

 private:
  const Body& body_;
  std::vector<std::int64_t> widths_;
  std::vector<std::byte*> buffers_;
  std::vector<std::int64_t> strides_;
};

}  // namespace weft::compiler
