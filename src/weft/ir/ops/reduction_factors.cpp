// Factor rules of reductions.
#include <algorithm>
#include <numeric>

#include <weft/ir/builder.h>
#include <weft/ir/factors.h>
#include <weft/ir/ops/elementwise.h>
#include <weft/ir/ops/reduction.h>
#include <weft/ir/ops/window_halo.h>
#include <weft/ir/resize.h>

namespace weft::ir {

std::optional<Reduction> reduction_of(const Graph& body, DType dtype) {
  const Op* op = reduction_op(body);
  const bool is_boolean = dtype == DType::boolean;
  if (op == &ops::add) return is_boolean ? Reduction::max : Reduction::sum;
  if (op == &ops::maximum || (is_boolean && op == &ops::or_)) return Reduction::max;
  if (op == &ops::minimum || (is_boolean && (op == &ops::and_ || op == &ops::multiply))) return Reduction::min;
  return std::nullopt;
}

std::shared_ptr<const Graph> reduction_body(Reduction reduction, DType dtype) {
  const Op* const reductions[] = {&ops::add, &ops::maximum, &ops::minimum};
  return reduction_body(*reductions[static_cast<int>(reduction)], dtype);
}

// Dimensions that are kept pass. A reduced dimension can be split if parts of the result can be combined by the body.
void reduce_factors(const Node& node, Factors& f) {
  const Ints dimensions = node.attributes<DimensionsAttributes>().dimensions;
  const Type x = node.operand(0).type();
  const int count = static_cast<int>(node.operands.size()) / 2;
  const auto reduction = count == 1 ? reduction_of(*node.regions[0], x.dtype()) : std::nullopt;
  for (int d = 0, kept = 0; d < x.rank(); ++d) {
    const bool is_reduced = std::ranges::count(dimensions, d) != 0;
    if (is_reduced && !reduction) continue;
    const int letter = is_reduced ? f.add(x.dim(d), Factor::Kind::reduced, *reduction) : f.add(x.dim(d));
    for (int i = 0; i < count; ++i) f.operands[i][d] = {letter};
    if (is_reduced) continue;
    for (auto& result : f.results) result[kept] = {letter};
    ++kept;
  }
}

// Shards of the results need the same shards of the operands, and some of their neighbours where windows have several elements.
void reduce_window_factors(const Node& node, Factors& f) {
  const auto& a = node.attributes<ReduceWindowAttributes>();
  const Type x = node.operand(0).type();
  const int count = static_cast<int>(node.operands.size()) / 2;
  for (int d = 0; d < x.rank(); ++d) {
    const WindowDim window = window_dim(a, d);
    const Dim base = x.dim(d), positions = node.type().dim(d);
    std::optional<Halo> halo = Halo{};
    if (!window.is_trivial()) {
      if (!base.is_constant() || !positions.is_constant()) continue;
      if (base.value() * window.base_dilation != positions.value() * window.stride) continue;
      halo = halo_of(window, base.value(), (positions.value() - 1) * window.stride + window.dilated_size());
    }
    if (!halo) continue;
    const Dim size = window.is_trivial() ? base : Dim(std::gcd(base.value(), positions.value()));
    halo->dim = d;
    halo->factor = f.add(size);
    for (int i = 0; i < count; ++i) {
      f.operands[i][d] = f.results[i][d] = {halo->factor};
      halo->operand = i;
      halo->beyond = count + i;
      if (!window.is_trivial()) f.halos.push_back(*halo);
    }
  }
}

std::vector<Value> reduce_window_local(const LocalCall& call) {
  const auto& a = call.node.attributes<ReduceWindowAttributes>();
  std::vector<Value> results = append_smaller(call, call.operands);
  if (a.padding.empty()) return results;  // then no window reaches beyond a part
  std::vector<std::int64_t> sizes(a.window_dimensions.begin(), a.window_dimensions.end());
  sizes.insert(sizes.end(), a.padding.begin(), a.padding.end());
  for (int d = 0; d < std::ssize(a.window_dimensions); ++d) {
    const Halo* halo = split_halo(call, d);
    if (!halo) continue;
    const WindowDim window = window_dim(a, d);
    const std::int64_t needed = (call.types[0].size(d) - 1) * window.stride + window.dilated_size();
    const auto [low, high] = padding_of_part(window, *halo, call.operands[0].size(d), needed);
    sizes[a.window_dimensions.size() + 2 * d] = low;
    sizes[a.window_dimensions.size() + 2 * d + 1] = high;
  }
  set_attribute_sizes(*results.front().node, sizes);
  return results;
}

Linearity reduction_linearity(const Node& node, int) {
  const bool is_sum = node.types.size() == 1 && reduction_of(*node.regions[0], node.type().dtype()) == Reduction::sum;
  return is_sum ? Linearity::together : Linearity::none;
}

}  // namespace weft::ir
