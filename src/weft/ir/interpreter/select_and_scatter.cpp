#include <weft/ir/interpreter/fold.h>
#include <weft/ir/interpreter/rules.h>
#include <weft/ir/interpreter/view.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/window.h>

namespace weft::ir::interpreter {

namespace {

// Replaces the chosen element of each window by its candidate, unless the body says to keep it. The first candidate is always
// taken. Elements are given as offsets into x, -1 for none.
void choose(const Region& keep, const Array& x, std::span<const std::int64_t> candidates,
            std::vector<std::int64_t>& chosen) {
  const auto width = byte_size(x.dtype());
  std::vector<std::size_t> contested;
  std::vector<std::byte> held, offered;
  const auto append = [&](std::vector<std::byte>& column, std::int64_t offset) {
    const std::byte* from = x.bytes().data() + offset * width;
    column.insert(column.end(), from, from + width);
  };
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i] < 0) continue;
    if (chosen[i] < 0) {
      chosen[i] = candidates[i];
      continue;
    }
    contested.push_back(i);
    append(held, chosen[i]);
    append(offered, candidates[i]);
  }
  std::vector<std::byte> kept(contested.size());
  const std::byte* const inputs[] = {held.data(), offered.data()};
  std::byte* const outputs[] = {kept.data()};
  keep.apply(std::ssize(contested), inputs, outputs);
  for (std::size_t i = 0; i < contested.size(); ++i)
    if (kept[i] == std::byte{0}) chosen[contested[i]] = candidates[contested[i]];
}

// Returns, for each window in row-major order, the offset in x of the element that the body selects; -1 if the window covers none.
std::vector<std::int64_t> select(const NodeCall& call) {
  const View x = whole(call[0].type());
  const Index positions = sizes_of(call[1].type());
  std::vector<WindowDim> window;
  Index sizes;
  for (int d = 0; d < call.type().rank(); ++d) {
    window.push_back(window_dim(call.attributes<SelectAndScatterAttributes>(), d));
    sizes.push_back(window.back().size);
  }
  const Region keep(*call.node.regions[0], call.context);
  std::vector<std::int64_t> chosen(call[1].size(), -1), candidates;
  for_each_index(sizes, [&](const Index& in_window) {  // processes all windows in parallel
    candidates.clear();
    for_each_index(positions, [&](const Index& position) {
      std::int64_t offset = 0;
      for (std::size_t d = 0; d < position.size() && offset >= 0; ++d) {
        const std::int64_t at = position[d] * window[d].stride - window[d].low + in_window[d];
        offset = at < 0 || at >= x.sizes[d] ? -1 : offset + at * x.strides[d];
      }
      candidates.push_back(offset);
    });
    choose(keep, call[0], candidates, chosen);
  });
  return chosen;
}

}  // namespace

std::vector<Array> select_and_scatter(const NodeCall& call) {
  std::vector<Pair> pairs;
  std::int64_t from = 0;
  for (const std::int64_t into : select(call)) {
    if (into >= 0) pairs.push_back({from, into});
    ++from;
  }
  Fold fold(*call.node.regions[1], one(filled(call.type(), call[2])), call.context);
  const Array* source = &call[1];
  fold.add(std::span(&source, 1), pairs);
  return fold.finish();
}

}  // namespace weft::ir::interpreter
