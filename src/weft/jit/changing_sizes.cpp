#include <weft/jit/changing_sizes.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace weft::jit {

namespace {

// Links neighbouring sizes that differ by at most `most_apart`; within a group, the smaller sizes come first.
std::vector<LinkedSizes> near_ones_linked(std::span<const ChangingSize> sizes, std::span<const std::size_t> by_size,
                                          std::int64_t most_apart) {
  std::vector<LinkedSizes> links;
  for (std::size_t k = 0; k < by_size.size(); ++k) {
    const bool is_near = k > 0 && sizes[by_size[k]].now - sizes[by_size[k - 1]].now <= most_apart;
    if (!is_near) links.emplace_back();
    links.back().push_back({by_size[k], 1});
  }
  std::ranges::sort(links);
  return links;
}

// Returns the step by which a group changes: if possible, `steps` times its smallest step. Larger sizes are preferred,
// because a size of 1 would broadcast.
std::optional<std::int64_t> step_of(const LinkedSizes& group, std::span<const ChangingSize> sizes, std::int64_t steps) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t multiple = 1;
  for (const LinkedSize& linked : group) {
    const std::int64_t other = sizes[linked.size].range.multiple_of;
    if (multiple > most / other) return std::nullopt;
    multiple = std::lcm(multiple, other);
  }
  if (multiple > most / steps) steps = 1;
  const auto fits = [&](std::int64_t step) {
    return std::ranges::all_of(group, [&](const LinkedSize& linked) {
      const ChangingSize& size = sizes[linked.size];
      return step > 0 ? step <= (size.range.max - size.now) / linked.steps
                      : -step <= (size.now - std::max<std::int64_t>(size.range.min, 1)) / linked.steps;
    });
  };
  for (const std::int64_t step : {multiple * steps, -multiple * steps, multiple, -multiple})
    if (fits(step)) return step;
  return std::nullopt;
}

}  // namespace

std::vector<std::vector<LinkedSizes>> links_among(std::span<const ChangingSize> sizes) {
  std::vector<std::size_t> by_size(sizes.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::ranges::stable_sort(by_size, {}, [&](std::size_t i) { return sizes[i].now; });
  std::vector<LinkedSizes> alone;
  for (std::size_t i = 0; i < sizes.size(); ++i) alone.push_back({{i, 1}});
  std::vector<std::vector<LinkedSizes>> all{alone};

  std::set<std::int64_t> distances;
  for (std::size_t k = 1; k < by_size.size(); ++k) distances.insert(sizes[by_size[k]].now - sizes[by_size[k - 1]].now);
  for (const std::int64_t apart : distances) all.push_back(near_ones_linked(sizes, by_size, apart));

  for (std::size_t k = 0; k < by_size.size(); ++k)
    for (std::size_t j = k + 1; j < by_size.size(); ++j) {
      const std::size_t small = by_size[k], large = by_size[j];
      if (sizes[small].now == 0 || sizes[large].now == sizes[small].now || sizes[large].now % sizes[small].now != 0)
        continue;
      std::vector<LinkedSizes>& links = all.emplace_back(alone);
      links[small].push_back({large, sizes[large].now / sizes[small].now});
      links.erase(links.begin() + large);
    }
  return all;
}

std::vector<Type> other_types(std::span<const Type> types, std::span<const ChangingSize> sizes,
                              std::span<const LinkedSizes> links) {
  std::vector<Type> others(types.begin(), types.end());
  std::int64_t steps = 0;
  for (const LinkedSizes& group : links) {
    const auto step = step_of(group, sizes, ++steps);
    if (!step) return {};
    for (const LinkedSize& linked : group)
      for (const auto& [leaf, dim] : sizes[linked.size].places)
        others[leaf] = with_size(others[leaf], dim, sizes[linked.size].now + *step * linked.steps);
  }
  return others;
}

Type with_size(Type type, int dim, std::int64_t size) {
  std::vector<Dim> dims(type.dims().begin(), type.dims().end());
  dims[dim] = Dim(size);
  return Type(type.dtype(), dims);
}

std::vector<Type> types_of(std::span<const Leaf> leaves) {
  std::vector<Type> types;
  for (const Leaf& leaf : leaves) types.push_back(leaf.type);
  return types;
}

std::vector<ChangingSize> all_sizes(std::span<const Leaf> leaves) {
  std::map<std::int64_t, ChangingSize> by_size;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].kind != Leaf::Kind::tensor || !leaves[i].type) continue;
    for (int d = 0; d < leaves[i].type.rank(); ++d) {
      ChangingSize& size = by_size[leaves[i].type.size(d)];
      size.now = leaves[i].type.size(d);
      size.places.emplace_back(i, d);
    }
  }
  std::vector<ChangingSize> all;
  for (auto& [now, size] : by_size) all.push_back(std::move(size));
  return all;
}

}  // namespace weft::jit
