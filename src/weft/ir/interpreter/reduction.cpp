#include <algorithm>

#include <weft/ir/interpreter/fold.h>
#include <weft/ir/interpreter/rules.h>
#include <weft/ir/interpreter/view.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/window.h>

namespace weft::ir::interpreter {

namespace {

// Returns the results filled with the initial values, for operands x..., init...
std::vector<Array> filled_with_inits(const NodeCall& call) {
  const std::size_t count = call.node.types.size();
  std::vector<Array> results;
  for (std::size_t i = 0; i < count; ++i) results.push_back(filled(call.node.types[i], call[count + i]));
  return results;
}

}  // namespace

std::vector<Array> reduce(const NodeCall& call) {
  const View x = whole(call[0].type());
  View into{0, x.sizes, Index(x.sizes.size(), 0)};
  const Ints reduced = call.attributes<DimensionsAttributes>().dimensions;
  const Index strides = strides_of(call.type());
  for (std::size_t d = 0, kept = 0; d < x.sizes.size(); ++d)
    if (std::ranges::find(reduced, static_cast<std::int64_t>(d)) == reduced.end()) into.strides[d] = strides[kept++];
  std::vector<Pair> pairs;
  pairs.reserve(x.size());
  for_each(x, into, [&](std::int64_t from, std::int64_t to) { pairs.push_back({from, to}); });
  Fold fold(*call.node.regions[0], filled_with_inits(call), call.context);
  fold.add(call.operands.first(call.node.types.size()), pairs);
  return fold.finish();
}

// As specified, pads with the initial values and folds all elements of a window, including padding.
std::vector<Array> reduce_window(const NodeCall& call) {
  const auto& attributes = call.attributes<ReduceWindowAttributes>();
  const Type type = call[0].type();
  std::vector<WindowDim> window;
  Index low, steps, sizes;
  std::vector<Dim> padded_dims;
  for (int d = 0; d < type.rank(); ++d) {
    window.push_back(window_dim(attributes, d));
    low.push_back(window.back().low);
    steps.push_back(window.back().base_dilation);
    sizes.push_back(window.back().size);
    padded_dims.emplace_back(
        std::max<std::int64_t>(0, window.back().low + window.back().dilated_base(type.size(d)) + window.back().high));
  }
  std::vector<Array> bases;
  const std::size_t count = call.node.types.size();
  for (std::size_t i = 0; i < count; ++i)
    bases.push_back(padded(call[i], call[count + i], low, steps, Type(call[i].dtype(), padded_dims)));

  Fold fold(*call.node.regions[0], filled_with_inits(call), call.context);
  const View into = whole(call.type()), base = whole(bases[0].type());
  std::vector<Pair> pairs;
  // Processes all windows in parallel: the first element of each, then the second...
  for_each_index(sizes, [&](const Index& at) {
    View from{0, into.sizes, base.strides};
    for (std::size_t d = 0; d < at.size(); ++d) {
      from.offset += at[d] * window[d].dilation * base.strides[d];
      from.strides[d] *= window[d].stride;
    }
    pairs.clear();
    for_each(from, into, [&](std::int64_t a, std::int64_t b) { pairs.push_back({a, b}); });
    fold.add(pointers(bases), pairs);
  });
  return fold.finish();
}

}  // namespace weft::ir::interpreter
