#include <weft/ir/ops/window.h>

#include <algorithm>

namespace weft::ir {

namespace {

std::int64_t at_or(Ints list, int i, std::int64_t otherwise) { return list.empty() ? otherwise : list[i]; }

// Rounds down.
std::int64_t quotient(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

WindowDim window_dim(const ReduceWindowAttributes& w, int i) {
  return {.size = w.window_dimensions[i],
          .stride = at_or(w.window_strides, i, 1),
          .low = at_or(w.padding, 2 * i, 0),
          .high = at_or(w.padding, 2 * i + 1, 0),
          .base_dilation = at_or(w.base_dilations, i, 1),
          .dilation = at_or(w.window_dilations, i, 1)};
}

WindowDim window_dim(const SelectAndScatterAttributes& w, int i) {
  return {.size = at_or(w.window_dimensions, i, 1),
          .stride = at_or(w.window_strides, i, 1),
          .low = at_or(w.padding, 2 * i, 0),
          .high = at_or(w.padding, 2 * i + 1, 0)};
}

WindowDim window_dim(const ConvolutionAttributes& w, int i, std::int64_t kernel_size) {
  return {.size = kernel_size,
          .stride = at_or(w.strides, i, 1),
          .low = at_or(w.padding, 2 * i, 0),
          .high = at_or(w.padding, 2 * i + 1, 0),
          .base_dilation = at_or(w.lhs_dilation, i, 1),
          .dilation = at_or(w.rhs_dilation, i, 1),
          .reversed = at_or(w.reversal, i, 0) != 0};
}

// The windows of a part start `low` elements before it.
std::optional<Halo> halo_of(const WindowDim& w, std::int64_t base, std::int64_t needed) {
  Halo halo{};
  halo.before = std::max<std::int64_t>(0, quotient(w.low, w.base_dilation));
  halo.after = std::max<std::int64_t>(0, quotient(needed - 1 - w.low, w.base_dilation) - (base - 1));
  return std::max(halo.before, halo.after) <= base / 2 ? std::optional(halo) : std::nullopt;
}

std::pair<std::int64_t, std::int64_t> padding_of_part(const WindowDim& w, const Halo& halo, std::int64_t base,
                                                      std::int64_t needed) {
  const std::int64_t low = w.low - w.base_dilation * halo.before;
  return {low, needed - low - w.dilated_base(base)};
}

const Halo* split_halo(const LocalCall& call, int dim) {
  const auto found = std::ranges::find_if(call.factors.halos, [&](const Halo& halo) {
    return halo.operand == 0 && halo.dim == dim && !call.axes[halo.factor].empty();
  });
  return found == call.factors.halos.end() ? nullptr : &*found;
}

}  // namespace weft::ir
