#include <weft/ir/ops/window_halo.h>

#include <algorithm>

namespace weft::ir {

namespace {

// Rounds down.
std::int64_t quotient(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

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
