#include <weft/compiler/thunks/window_plan.h>

namespace weft::compiler {

namespace {

// Returns where an element of the window lies in a base of this size; -1 for padding.
std::int64_t base_of(const ir::WindowDim& w, std::int64_t size, std::int64_t position, std::int64_t k) {
  const std::int64_t dilated = position * w.stride - w.low + k * w.dilation;
  const bool inside = dilated >= 0 && dilated % w.base_dilation == 0 && dilated / w.base_dilation < size;
  return inside ? dilated / w.base_dilation : -1;
}

}  // namespace

WindowPlan::Planar WindowPlan::planar(const ir::WindowDim& w, std::int64_t size, std::int64_t stride) {
  Planar dim{w.positions(size), w.size, w.stride * stride, {}, {}};
  for (std::int64_t k = 0; k < w.size; ++k) {
    dim.origins.push_back((k * w.dilation - w.low) * stride);
    auto& pieces = dim.pieces.emplace_back();
    for (std::int64_t i = 0; i < dim.positions; ++i) {
      const std::int64_t base = base_of(w, size, i, k), from = base < 0 ? 0 : base * stride;
      if (!pieces.empty() && pieces.back().padding == (base < 0)) {
        Piece& last = pieces.back();
        if (last.count == 1) last.step = from - last.from;
        if (from == last.from + last.count * last.step) {
          ++last.count;
          continue;
        }
      }
      pieces.push_back({i, 1, from, 0, base < 0});
    }
  }
  return dim;
}

WindowPlan::WindowPlan(Type x, std::span<const ir::WindowDim> window) {
  std::vector<std::int64_t> strides(x.rank());
  row_major_strides(x.dims(), strides);
  bool connected = false;
  for (int d = 0; d < x.rank(); ++d) {
    const ir::WindowDim& w = window[d];
    const std::int64_t stride = strides[d], size = x.size(d);
    window_elements_ *= w.size;
    if (const int behind = x.rank() - 1 - d; behind < 2) {
      plane_[1 - behind] = planar(w, size, stride);
      continue;
    }
    Leading dim{w.positions(size), w.size, {}};
    planes_ *= dim.positions;
    connected = connected || !w.is_trivial();
    if (connected) connected_ *= dim.positions;
    for (std::int64_t i = 0; i < dim.positions; ++i)
      for (std::int64_t k = 0; k < w.size; ++k) {
        const std::int64_t base = base_of(w, size, i, k);
        dim.offsets.push_back(base < 0 ? nowhere : base * stride);
      }
    leading_.push_back(std::move(dim));
  }
  for (const std::int64_t row : plane_[0].origins)
    for (const std::int64_t column : plane_[1].origins) origins_.push_back(row + column);
}

void WindowPlan::find_offsets(std::int64_t plane, std::vector<std::int64_t>& offsets) const {
  offsets = origins_;
  for (std::size_t d = leading_.size(); d-- > 0;) {
    const Leading& dim = leading_[d];
    const std::int64_t* const at = dim.offsets.data() + plane % dim.positions * dim.window;
    plane /= dim.positions;
    const std::size_t inner = offsets.size();
    offsets.resize(inner * dim.window);
    for (std::int64_t k = dim.window; k-- > 0;)  // backwards, since the copy at the front is the source of the others
      for (std::size_t i = 0; i < inner; ++i) offsets[k * inner + i] = at[k] == nowhere ? nowhere : offsets[i] + at[k];
  }
}

}  // namespace weft::compiler
