// gather and scatter use the same dimension numbers, read in opposite directions.
#include <algorithm>

#include <weft/fuzz/grower.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

using ir::Op;
using ir::Value;

namespace {

// The dimension numbers of an indexing. `windowed` is the shape that gather returns and scatter takes as updates.
struct Numbers {
  Dims window_dims, dropped, batching, indices_batching, map, slice_sizes;
  std::int64_t index_vector_dim = 0;
  Dims indices, windowed;
  std::int64_t reach = 1;  // the largest indexed dimension
};

// Chooses the positions of the window dimensions in the result: a subset of all dimensions, in order.
void place_windows(Random& random, const Dims& batch, const Dims& window, Numbers& n) {
  std::vector<char> is_window(batch.size() + window.size());
  std::fill_n(is_window.begin(), window.size(), 1);
  if (random.one_in(2))
    random.shuffle(is_window);
  else
    std::ranges::reverse(is_window);
  std::size_t b = 0, w = 0;
  for (std::size_t d = 0; d < is_window.size(); ++d) {
    if (is_window[d]) n.window_dims.push_back(d);
    n.windowed.push_back(is_window[d] ? window[w++] : batch[b++]);
  }
}

Numbers random_numbers(Grower& g, const Dims& x) {
  Random& random = g.random();
  Numbers n;
  n.indices = g.random_sizes(0, 2);
  Dims window;
  for (std::size_t d = 0; d < x.size(); ++d) {
    const std::int64_t dim = d;
    switch (x[d] == 0 ? 4 : random.below(5)) {
      case 0:  // a batching dimension: one index for each position along it
        n.batching.push_back(dim);
        n.slice_sizes.push_back(1);
        break;
      case 1:
      case 2:  // indexed, slice size 1
        n.map.push_back(dim);
        n.dropped.push_back(dim);
        n.slice_sizes.push_back(1);
        break;
      case 3:  // indexed, larger slice size
        n.map.push_back(dim);
        n.slice_sizes.push_back(random.between(0, std::min<std::int64_t>(x[d], 4)));
        window.push_back(n.slice_sizes.back());
        break;
      default:  // not indexed, full slice size
        n.slice_sizes.push_back(x[d]);
        window.push_back(x[d]);
    }
  }
  for (const std::int64_t d : n.map) n.reach = std::max(n.reach, x[d]);
  random.shuffle(n.map);
  for (const std::int64_t d : n.batching) {
    const std::int64_t at = random.below(n.indices.size() + 1);
    n.indices.insert(n.indices.begin() + at, x[d]);
    for (std::int64_t& other : n.indices_batching) other += other >= at;
    n.indices_batching.push_back(at);
  }
  place_windows(random, n.indices, window, n);
  // The components of an index have a dimension of their own, which may be omitted if there is one component.
  const auto components = std::ssize(n.map);
  n.index_vector_dim = random.below(n.indices.size() + 1);
  if (components == 1 && random.one_in(2)) {
    n.index_vector_dim = std::ssize(n.indices);
  } else {
    n.indices.insert(n.indices.begin() + n.index_vector_dim, components);
    for (std::int64_t& d : n.indices_batching) d += d >= n.index_vector_dim;
  }
  return n;
}

Value random_positions(Grower& g, const Numbers& n) {
  return g.positions(Grower::type_of(g.random_index_dtype(), n.indices), n.reach);
}

// Returns a random body for scatter, which applies it in a fixed order: a fold, the update itself, or a mixture of both.
std::shared_ptr<const ir::Graph> random_body(Grower& g, DType dtype) {
  const Type scalar(dtype, {});
  switch (g.random().below(5)) {
    case 0: return ir::make_graph(std::array{scalar, scalar}, [](auto&, auto x) { return std::vector{x[1]}; });
    case 1:
      if (is_integer(dtype))
        return ir::make_graph(std::array{scalar, scalar}, [](auto&, auto x) { return std::vector{x[0] * 3.0 + x[1]}; });
      [[fallthrough]];
    default: return ir::reduction_body(random_fold(g, dtype), dtype);
  }
}

}  // namespace

void grow_gather(Grower& g, const Op&) {
  const Value x = g.any();
  const Numbers n = random_numbers(g, Grower::sizes_of(x.type()));
  const Type result = Grower::type_of(x.dtype(), n.windowed);
  require(result.elements() <= g.style().elements, "too large");
  g.add(
      ir::gather(x, random_positions(g, n),
                 {n.window_dims, n.dropped, n.batching, n.indices_batching, n.map, n.index_vector_dim, n.slice_sizes}));
}

void grow_scatter(Grower& g, const Op&) {
  const Value x = g.any();
  const Numbers n = random_numbers(g, Grower::sizes_of(x.type()));
  const ir::ScatterAttributes attributes{n.window_dims,      n.dropped, n.batching,
                                         n.indices_batching, n.map,     n.index_vector_dim};
  const Value indices = random_positions(g, n), updates = g.fitted(x.dtype(), n.windowed);
  if (!g.random().one_in(5)) return g.add(ir::scatter(x, indices, updates, attributes, random_body(g, x.dtype())));
  // Two operands at once, each folded by its own op.
  const Value y = g.fitted(x.type().with(g.random_dtype()));
  const Op &f = random_fold(g, x.dtype()), &h = random_fold(g, y.dtype());
  const Type a(x.dtype(), {}), b(y.dtype(), {});
  const auto body = ir::make_graph(std::array{a, b, a, b}, [&](ir::Graph& graph, auto v) {
    return std::vector{graph.append(f, std::array{v[0], v[2]}).result(),
                       graph.append(h, std::array{v[1], v[3]}).result()};
  });
  g.add(ir::scatter(std::array{x, y}, indices, std::array{updates, g.fitted(y.dtype(), n.windowed)}, attributes, body));
}

}  // namespace weft::fuzz
