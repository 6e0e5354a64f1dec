// gather and scatter on a device that has a part of the elements that positions choose: positions are counted from the first element of the
// part. gather takes the elements that the device has, and zeros for the others, so that the sum over devices is the result. scatter skips
// the others by itself, because they are out of bounds.
#include <algorithm>

#include <weft/ir/builder.h>
#include <weft/ir/localize.h>
#include <weft/ir/ops/elementwise.h>
#include <weft/ir/ops/indexing.h>

namespace weft::ir {

namespace {

// One component of all positions.
struct Component {
  Value position;         // of type i64, without the dimension of the components
  std::int64_t size = 0;  // of the device's part of the dimension; 0 if the dimension is not split
};

// The dimensions of x in which positions choose elements: the one for each component, and those in which they choose single ones.
struct Chosen {
  Ints map, single;

  // Returns the factor of a component's dimension if that is split; otherwise -1. Other windows begin where the dimension begins.
  int split_factor(const LocalCall& call, std::size_t component) const {
    const std::int64_t dim = map[component];
    const DimFactors& factors = call.factors.operands[0][dim];
    const bool is_split = !factors.empty() && !call.axes[factors.front()].empty();
    return is_split && std::ranges::count(single, dim) != 0 ? factors.front() : -1;
  }

  bool any_is_split(const LocalCall& call) const {
    for (std::size_t k = 0; k < map.size(); ++k)
      if (split_factor(call, k) >= 0) return true;
    return false;
  }
};

// Takes positions apart.
std::vector<Component> components_of(const LocalCall& call, Value positions, std::int64_t vector_dim,
                                     const Chosen& chosen, bool clamps) {
  std::vector<Component> components;
  positions = convert(positions, DType::i64);
  std::vector<Dim> without;
  for (int d = 0; d < positions.rank(); ++d)
    if (d != vector_dim) without.push_back(positions.type().dim(d));
  for (std::int64_t k = 0; k < std::ssize(chosen.map); ++k) {
    Component component{positions};
    if (vector_dim < positions.rank()) {
      std::vector<std::int64_t> start(positions.rank()), limit, stride(positions.rank(), 1);
      for (int d = 0; d < positions.rank(); ++d) limit.push_back(positions.size(d));
      start[vector_dim] = k;
      limit[vector_dim] = k + 1;
      component.position = reshape(slice(positions, start, limit, stride), without);
    }
    if (const int factor = chosen.split_factor(call, k); factor >= 0) {
      const std::int64_t whole = call.factors.all[factor].size.value();
      component.size = whole / devices_along(call.mesh, call.axes[factor]);
      if (clamps)
        component.position = clamp(constant(call.graph, Type(DType::i64, {}), 0), component.position,
                                   constant(call.graph, Type(DType::i64, {}), static_cast<double>(whole - 1)));
      const Value first = call.position(factor) * static_cast<double>(component.size);
      component.position = component.position - broadcast(first, component.position.type());
    }
    components.push_back(component);
  }
  return components;
}

Value put_together(std::span<const Component> components, Type positions, std::int64_t vector_dim) {
  if (vector_dim == positions.rank()) return components.front().position;
  std::vector<Value> parts;
  std::vector<Dim> dims(positions.dims().begin(), positions.dims().end());
  dims[vector_dim] = 1;
  for (const Component& c : components) parts.push_back(reshape(c.position, dims));
  return concatenate(parts, vector_dim);
}

// Returns, for each position, whether the device has its element.
Value are_here(std::span<const Component> components) {
  Value all;
  for (const Component& c : components) {
    if (c.size == 0) continue;
    const Value here = and_(compare(c.position, constant_like(c.position, 0), Direction::GE),
                            compare(c.position, constant_like(c.position, static_cast<double>(c.size)), Direction::LT));
    all = all ? and_(all, here) : here;
  }
  return all;
}

}  // namespace

std::vector<Value> gather_local(const LocalCall& call) {
  const auto& a = call.node.attributes<GatherAttributes>();
  const Chosen chosen{a.start_index_map, a.collapsed_slice_dims};
  if (!chosen.any_is_split(call)) return append_smaller(call, call.operands);
  const Value positions = call.operands[1];
  const auto components = components_of(call, positions, a.index_vector_dim, chosen, /*clamps=*/true);
  const Value here = put_together(components, positions.type(), a.index_vector_dim);
  const Value taken = append_smaller(call, std::array{call.operands[0], here}).front();
  std::vector<std::int64_t> batch;
  for (std::int64_t d = 0; d < taken.rank(); ++d)
    if (std::ranges::count(a.offset_dims, d) == 0) batch.push_back(d);
  const Value is_here = broadcast_in_dim(are_here(components), taken.type().with(DType::boolean), batch);
  return {select(is_here, taken, constant_like(taken, -0.0))};  // -0 + x is x, even if x is -0
}

std::vector<Value> scatter_local(const LocalCall& call) {
  const auto& a = call.node.attributes<ScatterAttributes>();
  const Chosen chosen{a.scatter_dims_to_operand_dims, a.inserted_window_dims};
  if (!chosen.any_is_split(call)) return append_smaller(call, call.operands);
  const std::size_t count = call.operands.size() / 2;
  const Value positions = call.operands[count];
  const auto components = components_of(call, positions, a.index_vector_dim, chosen, /*clamps=*/false);
  std::vector<Value> operands(call.operands.begin(), call.operands.end());
  operands[count] = put_together(components, positions.type(), a.index_vector_dim);
  return append_smaller(call, operands);
}

}  // namespace weft::ir
