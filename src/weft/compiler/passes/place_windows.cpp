// A gather or scatter of one window, as indexing with a number makes them: slices, a padded window, or an update of a slice, which kernels of
// neighbouring ops compute with them, and which loops apply to their state in place.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/array.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

namespace {

using ir::Value;

struct PlacedWindow {
  std::vector<std::int64_t> start, size;  // of each dimension of the operand

  std::vector<std::int64_t> limit() const {
    std::vector<std::int64_t> limit(start.size());
    std::ranges::transform(start, size, limit.begin(), std::plus());
    return limit;
  }
};

// Returns where the only window starts along each of `rank` dimensions; nullopt if it is not known.
std::optional<std::vector<std::int64_t>> constant_start(Value indices, ir::Ints mapped, int rank) {
  constexpr double most = 1e9;
  const ir::Literal* const literal = ir::literal_of(indices);
  if (!literal) return std::nullopt;
  const ir::Array places(*literal);
  std::vector<std::int64_t> start(static_cast<std::size_t>(rank), 0);
  for (std::size_t i = 0; i < mapped.size(); ++i) {
    const double place = places.element(static_cast<std::int64_t>(i));
    if (std::abs(place) > most) return std::nullopt;
    start[static_cast<std::size_t>(mapped[i])] = static_cast<std::int64_t>(place);
  }
  return start;
}

Value slice_at(Value x, const PlacedWindow& window) {
  return ir::slice(x, window.start, window.limit(), std::vector<std::int64_t>(window.start.size(), 1));
}

// Returns the start along each of `rank` dimensions as a value.
std::vector<Value> starts_of(Value indices, ir::Ints mapped, int rank) {
  const Value zero = ir::constant(indices.graph(), Type(indices.dtype(), {}), 0);
  const auto count = static_cast<std::int64_t>(mapped.size());
  const Value flat = ir::reshape(indices, {Dim(count)});
  std::vector<Value> starts(static_cast<std::size_t>(rank), zero);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t from[] = {i}, to[] = {i + 1}, step[] = {1};
    starts[static_cast<std::size_t>(mapped[static_cast<std::size_t>(i)])] =
        ir::reshape(ir::slice(flat, from, to, step), {});
  }
  return starts;
}

// A window that would reach beyond the operand is moved inwards, as by dynamic_slice.
std::optional<Value> gathered(const ir::Node& node, Value x, Value indices) {
  const auto& a = node.attributes<ir::GatherAttributes>();
  if (x.type().elements() == 0) return std::nullopt;
  const auto start = constant_start(indices, a.start_index_map, x.rank());
  if (!start)
    return ir::reshape(ir::dynamic_slice(x, starts_of(indices, a.start_index_map, x.rank()), a.slice_sizes),
                       node.type().dims());
  PlacedWindow window{*start, {a.slice_sizes.begin(), a.slice_sizes.end()}};
  for (std::size_t d = 0; d < window.start.size(); ++d)
    window.start[d] = std::clamp<std::int64_t>(window.start[d], 0, x.size(static_cast<int>(d)) - window.size[d]);
  return ir::reshape(slice_at(x, window), node.type().dims());
}

bool fits(const PlacedWindow& window, Value x) {
  for (std::size_t d = 0; d < window.start.size(); ++d)
    if (window.start[d] < 0 || window.start[d] + window.size[d] > x.size(static_cast<int>(d))) return false;
  return true;
}

// Returns what `update` becomes where the operand has the elements `before`; nullopt if the body is not a single op.
std::optional<Value> combined(const ir::Graph& body, Value before, Value update) {
  if (body.outputs()[0] == body.inputs()[1]) return update;
  const ir::Op* const op = ir::reduction_op(body);
  if (!op) return std::nullopt;
  return update.graph().append(*op, std::vector{before, update}).result();
}

// Returns the size of the window in each dimension of the operand.
std::vector<std::int64_t> window_sizes(const ir::ScatterAttributes& a, Value x, Value update) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(x.rank()), 1);
  std::size_t at = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const auto dimension = static_cast<std::int64_t>(d);
    const auto has = [&](ir::Ints list) { return std::ranges::find(list, dimension) != list.end(); };
    if (!has(a.inserted_window_dims) && !has(a.input_batching_dims))
      sizes[d] = update.size(static_cast<int>(a.update_window_dims[at++]));
  }
  return sizes;
}

// Returns whether a window of one element along this dimension lies inside, as a value.
Value is_inside(Value start, std::int64_t size) {
  const bool is_signed = !is_unsigned_integer(start.dtype());
  const Value place = ir::convert(start, is_signed ? DType::i64 : DType::u64);
  const Value below = ir::compare(place, ir::constant_like(place, static_cast<double>(size)), ir::Direction::LT);
  if (!is_signed) return below;
  return ir::and_(below, ir::compare(place, ir::constant_like(place, 0), ir::Direction::GE));
}

// Scatter leaves out what lies outside, and then the update here changes nothing.
std::optional<Value> scattered_anywhere(const ir::Node& node, Value x, Value indices, Value update,
                                        const std::vector<std::int64_t>& sizes) {
  const auto& mapped = node.attributes<ir::ScatterAttributes>().scatter_dims_to_operand_dims;
  if (std::ranges::any_of(mapped, [&](std::int64_t d) { return sizes[static_cast<std::size_t>(d)] != 1; }))
    return std::nullopt;
  const std::vector<Value> starts = starts_of(indices, mapped, x.rank());
  const Value before = ir::dynamic_slice(x, starts, sizes);
  const auto after = combined(*node.regions[0], before, update);
  if (!after) return std::nullopt;
  Value inside = ir::constant(x.graph(), Type(DType::boolean, {}), 1);
  for (const std::int64_t d : mapped)
    inside = ir::and_(inside, is_inside(starts[static_cast<std::size_t>(d)], x.size(static_cast<int>(d))));
  return ir::dynamic_update_slice(x, ir::select(inside, *after, before), starts);
}

std::optional<Value> scattered(const ir::Node& node, Value x, Value indices, Value update) {
  const auto& a = node.attributes<ir::ScatterAttributes>();
  if (x.type().elements() == 0 || update.type().elements() == 0 || update.dtype() != x.dtype()) return std::nullopt;
  const std::vector<std::int64_t> sizes = window_sizes(a, x, update);
  update = ir::reshape(update, std::vector<Dim>(sizes.begin(), sizes.end()));
  const auto start = constant_start(indices, a.scatter_dims_to_operand_dims, x.rank());
  if (!start) return scattered_anywhere(node, x, indices, update, sizes);
  const PlacedWindow window{*start, sizes};
  if (!fits(window, x)) return std::nullopt;
  ir::Graph& graph = x.graph();
  if (const ir::Literal* const rest = ir::splat_of(x)) {
    const auto value = combined(*node.regions[0], ir::constant(graph, {update.type(), rest->bytes}), update);
    if (!value) return std::nullopt;
    std::vector<std::int64_t> high(window.size.size());
    for (std::size_t d = 0; d < high.size(); ++d)
      high[d] = x.size(static_cast<int>(d)) - window.start[d] - window.size[d];
    const Value around = ir::constant(graph, {Type(x.dtype(), {}), rest->bytes});
    return ir::pad(*value, around, window.start, high, std::vector<std::int64_t>(high.size(), 0));
  }
  const auto value = combined(*node.regions[0], slice_at(x, window), update);
  if (!value) return std::nullopt;
  std::vector<Value> starts;
  for (const std::int64_t place : window.start)
    starts.push_back(ir::constant(graph, Type(DType::i64, {}), static_cast<double>(place)));
  return ir::dynamic_update_slice(x, *value, starts);
}

// Returns whether there is only one index vector, which has elements.
bool has_one_vector(Value indices, std::int64_t index_vector_dim) {
  for (int d = 0; d < indices.rank(); ++d)
    if (d != index_vector_dim && indices.size(d) != 1) return false;
  return indices.type().elements() > 0;
}

bool moves_a_window(const ir::Node& node) {
  if (!ir::is_static(node)) return false;
  if (const auto* gather = node.attributes_if<ir::GatherAttributes>())
    return has_one_vector(node.operand(1), gather->index_vector_dim);
  const auto* scatter = node.attributes_if<ir::ScatterAttributes>();
  return scatter && node.types.size() == 1 && has_one_vector(node.operand(1), scatter->index_vector_dim);
}

}  // namespace

std::shared_ptr<ir::Graph> place_windows(const ir::Graph& graph) {
  return rewrite_where(
      graph, moves_a_window,
      [](ir::Graph&, const ir::Node& node, std::span<const Value> x) -> std::optional<std::vector<Value>> {
        const auto value = node.op == &ir::ops::gather ? gathered(node, x[0], x[1]) : scattered(node, x[0], x[1], x[2]);
        if (!value) return std::nullopt;
        return std::vector{*value};
      });
}

}  // namespace weft::compiler
