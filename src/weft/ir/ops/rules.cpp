#include <weft/ir/ops/rules.h>

#include <algorithm>

namespace weft::ir {

namespace {

std::string list(auto&& range, auto&& project) {
  std::string text;
  for (const auto& item : range) text += (text.empty() ? "" : ", ") + concat(project(item));
  return "[" + text + "]";
}

std::string list(Ints values) {
  return list(values, [](std::int64_t v) { return v; });
}

void require_types(const Call& call, std::size_t region, std::string_view what, std::span<const Value> have,
                   std::span<const Type> want) {
  if (std::ranges::equal(have, want, {}, &Value::type)) return;
  call.fail(concat("region ", region, " ", what, " ", list(have, [](Value v) { return v.type(); }), ", expected ",
                   list(want, [](Type t) { return t; })));
}

}  // namespace

DimSet require_dimensions(const Call& call, std::string_view name, Ints dims, int rank) {
  DimSet set = 0;
  for (const std::int64_t d : dims) {
    call.require(d >= 0 && d < rank, name, " ", d, " is out of range for rank ", rank);
    if (has(set, d)) call.fail(concat(name, " ", list(dims), " names dimension ", d, " twice"));
    set |= DimSet{1} << d;
  }
  return set;
}

void require_dimension(const Call& call, std::string_view name, std::int64_t dim, int rank) {
  call.require(dim >= 0 && dim < rank, name, " ", dim, " is out of range for rank ", rank);
}

void require_count(const Call& call, std::string_view name, Ints values, std::size_t count) {
  if (values.size() != count) call.fail(concat(name, " ", list(values), " needs ", count, " entries"));
}

void require_sorted(const Call& call, std::string_view name, Ints values) {
  if (!std::ranges::is_sorted(values)) call.fail(concat(name, " ", list(values), " must be sorted"));
}

void require_domain(const Call& call, int operand) {
  const DType dtype = call.type(operand).dtype();
  call.require(contains(call.op.domain, dtype), "is not defined for ", dtype);
}

void require_index(const Call& call, int operand) {
  const Type type = call.type(operand);
  call.require(type.rank() == 0 && is_integer(type.dtype()), "operand ", operand, " must be an integer of rank 0, got ",
               type);
}

void require_region(const Call& call, std::size_t region, std::span<const Type> inputs, std::span<const Type> outputs) {
  require_types(call, region, "takes", call.regions[region]->inputs(), inputs);
  require_types(call, region, "returns", call.regions[region]->outputs(), outputs);
}

Dim window_positions(const Call& call, int dim, const WindowDim& window, Dim base) {
  call.require(window.size >= 1, "the window must have at least 1 element in dimension ", dim, ", got ", window.size);
  call.require(window.stride >= 1 && window.base_dilation >= 1 && window.dilation >= 1,
               "strides and dilations of dimension ", dim, " must be at least 1, got ", window.stride, ", ",
               window.base_dilation, " and ", window.dilation);
  std::int64_t holes = 0, base_holes = 0, edges = 0, all = 0;
  const std::int64_t gaps = base.is_constant() ? std::max<std::int64_t>(base.value() - 1, 0) : 0;
  const bool fits = !__builtin_mul_overflow(window.size - 1, window.dilation, &holes) &&
                    !__builtin_mul_overflow(gaps, window.base_dilation, &base_holes) &&
                    !__builtin_add_overflow(window.low, window.high, &edges) &&
                    !__builtin_add_overflow(base_holes, edges, &all) && !__builtin_sub_overflow(all, holes, &all) &&
                    !__builtin_add_overflow(all, 2, &all);
  call.require(fits, "the padding or a dilation of dimension ", dim, " is too large");
  if (base.is_constant()) return {window.positions(base.value())};
  call.require(window.stride == 1 && window.base_dilation == 1, "dimension ", dim, " has size ", base,
               ", which must be known because the window has a stride or a dilation");
  const std::int64_t more = window.low + window.high + 1 - window.dilated_size();
  return more < 0 ? base - Dim(-more) : base + Dim(more);
}

}  // namespace weft::ir
