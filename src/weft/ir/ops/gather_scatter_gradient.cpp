// Gradients of gather and scatter, each of which is the other one reversed. They differ out of bounds: gather moves a window
// inside, scatter skips elements that fall outside.
#include <limits>

#include <weft/ir/ops.h>
#include <weft/ir/ops/gradients.h>
#include <weft/ir/ops/rules.h>
#include <weft/ir/replacing_body.h>

namespace weft::ir {

namespace {

// Returns one number for each component of an index, broadcast over the indices; rank 0 if all numbers are equal.
Value per_component(Value indices, std::int64_t index_vector_dim, std::span<const std::int64_t> values,
                    bool of_rank_0) {
  Graph& graph = indices.graph();
  const bool equal = std::ranges::adjacent_find(values, std::ranges::not_equal_to{}) == values.end();
  return visit(indices.dtype(), [&](auto tag) -> Value {
    using T = decltype(tag);
    if constexpr (!std::is_integral_v<T> || std::is_same_v<T, bool>) {
      WEFT_ASSERT(false, "indices are integers");
    } else {
      std::vector<T> elements;
      for (const std::int64_t v : values)
        elements.push_back(std::in_range<T>(v) ? v
                           : v < 0             ? std::numeric_limits<T>::lowest()
                                               : std::numeric_limits<T>::max());
      const auto literal = [&](Type type, std::size_t count) {
        return constant(graph, Literal{type, std::as_bytes(std::span(elements).first(count))});
      };
      if (equal && !elements.empty())
        return of_rank_0 ? literal(Type(indices.dtype(), {}), 1) : literal(indices.type(), 1);
      const Type vector(indices.dtype(), {std::ssize(elements)});
      return broadcast_in_dim(literal(vector, elements.size()), indices.type(), Ints(&index_vector_dim, 1));
    }
    __builtin_unreachable();
  });
}

// Returns the window size in each dimension of the operand of a scatter.
std::vector<std::int64_t> window_sizes(const ScatterAttributes& a, Value x, Value updates) {
  DimSet dropped = 0;
  for (const Ints dims : {a.inserted_window_dims, a.input_batching_dims})
    for (const std::int64_t d : dims) dropped |= DimSet{1} << d;
  std::vector<std::int64_t> sizes;
  std::size_t at = 0;
  for (int d = 0; d < x.rank(); ++d) sizes.push_back(has(dropped, d) ? 1 : updates.size(a.update_window_dims[at++]));
  return sizes;
}

std::vector<std::int64_t> at_mapped(Ints map, auto&& value) {
  std::vector<std::int64_t> values;
  for (const std::int64_t d : map) values.push_back(value(d));
  return values;
}

GatherAttributes reversed(const ScatterAttributes& a, Ints sizes) {
  return {.offset_dims = a.update_window_dims,
          .collapsed_slice_dims = a.inserted_window_dims,
          .operand_batching_dims = a.input_batching_dims,
          .start_indices_batching_dims = a.scatter_indices_batching_dims,
          .start_index_map = a.scatter_dims_to_operand_dims,
          .index_vector_dim = a.index_vector_dim,
          .slice_sizes = sizes,
          .indices_are_sorted = a.indices_are_sorted};
}

ScatterAttributes reversed(const GatherAttributes& a) {
  return {.update_window_dims = a.offset_dims,
          .inserted_window_dims = a.collapsed_slice_dims,
          .input_batching_dims = a.operand_batching_dims,
          .scatter_indices_batching_dims = a.start_indices_batching_dims,
          .scatter_dims_to_operand_dims = a.start_index_map,
          .index_vector_dim = a.index_vector_dim,
          .indices_are_sorted = a.indices_are_sorted};
}

// Reads from `x` at the positions to which a scatter with these attributes writes; reads 0 where the scatter skips elements.
class ScatterReader {
 public:
  ScatterReader(const ScatterAttributes& a, Value x, Value indices, Value updates)
      : a_(a), updates_type_(updates.type()), indices_(indices), sizes_(window_sizes(a, x, updates)) {
    for (int d = 0; d < x.rank(); ++d) operand_sizes_.push_back(x.size(d));
  }

  Value read(Value x) const {
    const Type type = updates_type_.with(x.dtype());
    if (is_empty(x.type())) return constant(x.graph(), type, 0);
    const bool single =
        std::ranges::all_of(a_.scatter_dims_to_operand_dims, [&](std::int64_t d) { return sizes_[d] == 1; });
    return single ? read_elements(x, type) : read_windows(x);
  }

 private:
  // If the window has size 1 in the indexed dimensions, it is either completely inside or completely outside.
  Value read_elements(Value x, Type type) const {
    const auto last = at_mapped(a_.scatter_dims_to_operand_dims, [&](int d) { return operand_sizes_[d] - 1; });
    const std::vector<std::int64_t> first(last.size(), 0);
    Value inside = compare(indices_, per_component(indices_, a_.index_vector_dim, last, false), Direction::LE);
    if (!is_unsigned_integer(indices_.dtype()))
      inside =
          and_(inside, compare(indices_, per_component(indices_, a_.index_vector_dim, first, false), Direction::GE));
    if (a_.index_vector_dim < indices_.rank()) inside = reduce_all(inside, a_.index_vector_dim);
    DimSet window = 0;
    for (const std::int64_t d : a_.update_window_dims) window |= DimSet{1} << d;
    std::vector<std::int64_t> batch;
    for (int d = 0; d < type.rank(); ++d)
      if (!has(window, d)) batch.push_back(d);
    const Value mask = broadcast_in_dim(inside, type.with(DType::boolean), batch);
    return select(mask, gather(x, indices_, reversed(a_, sizes_)), constant(x.graph(), type, 0));
  }

  // Pads `x` with zeros as wide as the window, so that positions outside read 0.
  Value read_windows(Value x) const {
    const Value wide = convert(indices_, DType::i64);
    const auto margin = at_mapped(a_.scatter_dims_to_operand_dims, [&](int d) { return sizes_[d]; });
    const auto low = at_mapped(a_.scatter_dims_to_operand_dims, [&](int d) { return -sizes_[d]; });
    const auto high = at_mapped(a_.scatter_dims_to_operand_dims, [&](int d) { return operand_sizes_[d]; });
    const auto component = [&](const std::vector<std::int64_t>& values, bool of_rank_0) {
      return per_component(wide, a_.index_vector_dim, values, of_rank_0);
    };
    Value low_bound = component(low, true), high_bound = component(high, true);
    const Value clamped = clamp(low_bound, wide, high_bound);
    std::vector<std::int64_t> edges(operand_sizes_.size(), 0);
    const std::vector<std::int64_t> none = edges;
    for (std::size_t i = 0; i < margin.size(); ++i) edges[a_.scatter_dims_to_operand_dims[i]] = margin[i];
    return gather(pad(x, scalar_like(x, 0), edges, edges, none), clamped + component(margin, false),
                  reversed(a_, sizes_));
  }

  static Value reduce_all(Value x, std::int64_t dimension) {
    const Value yes = scalar_like(x, 1);
    return reduce(std::span(&x, 1), std::span(&yes, 1), Ints(&dimension, 1),
                  reduction_body(ops::and_, DType::boolean))[0];
  }

  const ScatterAttributes& a_;
  Type updates_type_;
  Value indices_;
  std::vector<std::int64_t> sizes_;  // of the window, by dimension of the operand
  std::vector<std::int64_t> operand_sizes_;
};

bool returns_update(const Graph& body) { return body.outputs()[0] == body.inputs()[1]; }

// If several updates hit the same element, the last one wins and is the only one to get the cotangent. Scattering the numbers of
// the updates shows which one wins.
void replacing_gradient(const GradientCall& c, const ScatterAttributes& a, const ScatterReader& reader) {
  const Value x = c.x(0), indices = c.x(1), updates = c.x(2), zeros = zeros_like(updates);
  if (a.unique_indices) {
    if (c.needs(0)) c.add(0, scatter(c.dy(), indices, zeros, a, replacing_body(x.dtype())));
    if (c.needs(2)) c.add(2, reader.read(c.dy()));
    return;
  }
  const Type flat(DType::i64, {updates.type().elements()});
  const Value number = reshape(iota(x.graph(), flat, 0), updates.type().dims());
  const Value from_one = number + constant_like(number, 1);
  const Value nobody = constant(x.graph(), x.type().with(DType::i64), 0);
  const Value writer = scatter(nobody, indices, from_one, a, replacing_body(DType::i64));
  if (c.needs(0)) c.add(0, select(compare(writer, nobody, Direction::EQ), c.dy(), zeros_like(x)));
  if (c.needs(2)) c.add(2, select(compare(reader.read(writer), from_one, Direction::EQ), reader.read(c.dy()), zeros));
}

// The element and the updates that are equal to the result share its cotangent evenly.
void extremal_gradient(const GradientCall& c, const ScatterAttributes& a, const ScatterReader& reader) {
  const Value x = c.x(0), indices = c.x(1), updates = c.x(2), y = c.y();
  const auto as_number = [](Value is_chosen, Value like) { return convert(is_chosen, like.dtype()); };
  const Value own = as_number(compare(x, y, Direction::EQ), x);
  const Value of_update = as_number(compare(updates, reader.read(y), Direction::EQ), updates);
  const Value chosen = scatter(own, indices, of_update, a, reduction_body(ops::add, x.dtype()));
  const Value share = c.dy() / maximum(chosen, constant_like(chosen, 1));
  if (c.needs(0)) c.add(0, own * share);
  if (c.needs(2)) c.add(2, of_update * reader.read(share));
}

// The factors of one element of the result are the element of x and the updates that hit it. The derivative by a factor is the product of
// the others. A quotient cannot give it where a factor is zero, so the product `nonzero` leaves out zeros, which are counted. Their sum is
// zero, but it has derivatives: it stands for the only zero among the others, so that second derivatives are right, too.
struct FactorsOfProduct {
  Value nonzero, zeros, sum_of_zeros;

  Value product_without(Value factor) const {
    const Value none = zeros_like(factor), one = constant_like(factor, 1), two = constant_like(factor, 2);
    const Value is_zero = compare(factor, none, Direction::EQ);
    const auto counted = [&](Value count, Value then, Value otherwise) {
      return select(compare(zeros, count, Direction::EQ), then, otherwise);
    };
    const Value quotient = nonzero / select(is_zero, one, factor);
    const Value of_nonzero = counted(none, quotient, counted(one, quotient * sum_of_zeros, none));
    const Value of_zero = counted(one, nonzero, counted(two, nonzero * (sum_of_zeros - factor), none));
    return select(is_zero, of_zero, of_nonzero);
  }
};

void product_gradient(const GradientCall& c, const ScatterAttributes& a, const ScatterReader& reader) {
  const Value x = c.x(0), indices = c.x(1), updates = c.x(2);
  const auto combined = [&](const Op& op, auto&& part) {
    const auto of = [&](Value factor) { return part(factor, compare(factor, zeros_like(factor), Direction::EQ)); };
    return scatter(of(x), indices, of(updates), a, reduction_body(op, x.dtype()));
  };
  const FactorsOfProduct all{
      combined(ops::multiply, [](Value v, Value is_zero) { return select(is_zero, constant_like(v, 1), v); }),
      combined(ops::add, [](Value v, Value is_zero) { return convert(is_zero, v.dtype()); }),
      combined(ops::add, [](Value v, Value is_zero) { return select(is_zero, v, zeros_like(v)); })};
  if (c.needs(0)) c.add(0, c.dy() * all.product_without(x));
  if (!c.needs(2)) return;
  const FactorsOfProduct read{reader.read(all.nonzero), reader.read(all.zeros), reader.read(all.sum_of_zeros)};
  c.add(2, reader.read(c.dy()) * read.product_without(updates));
}

}  // namespace

void gather_gradient(const GradientCall& c) {
  const auto& a = c.node.attributes<GatherAttributes>();
  const Value x = c.x(0), indices = c.x(1);
  const auto last = at_mapped(a.start_index_map, [&](int d) { return x.size(d) - a.slice_sizes[d]; });
  const std::vector<std::int64_t> first(last.size(), 0);
  const Value inside = last.empty() ? indices
                                    : clamp(per_component(indices, a.index_vector_dim, first, true), indices,
                                            per_component(indices, a.index_vector_dim, last, true));
  c.add(0, scatter(zeros_like(x), inside, c.dy(), reversed(a), reduction_body(ops::add, x.dtype())));
}

void scatter_gradient(const GradientCall& c) {
  require(c.node.operands.size() == 3, "grad: scatter of several operands at once has no gradient");
  const auto& a = c.node.attributes<ScatterAttributes>();
  const ScatterReader reader(a, c.x(0), c.x(1), c.x(2));
  if (returns_update(*c.node.regions[0])) {
    replacing_gradient(c, a, reader);
  } else if (reduction_op(*c.node.regions[0]) == &ops::add) {
    c.add(0, c.dy());
    if (c.needs(2)) c.add(2, reader.read(c.dy()));
  } else if (const Op* const op = reduction_op(*c.node.regions[0]); op == &ops::maximum || op == &ops::minimum) {
    extremal_gradient(c, a, reader);
  } else if (reduction_op(*c.node.regions[0]) == &ops::multiply) {
    product_gradient(c, a, reader);
  } else {
    fail(
        "grad: scatter has a gradient only if its body adds, multiplies, replaces, or takes the maximum or the "
        "minimum");
  }
}

}  // namespace weft::ir
