#include <weft/ir/legalize/deprecated.h>

#include <vector>

#include <weft/ir/builder.h>
#include <weft/ir/einsum.h>
#include <weft/ir/legalize/complex_parts.h>

namespace weft::ir::legalize {

WrittenValue broadcast_in_front(const WrittenValue& x, std::span<const std::int64_t> sizes) {
  for (const std::int64_t size : sizes) require(size >= 0, "a dimension of size ", size, " cannot exist");
  std::vector<Dim> dims(sizes.begin(), sizes.end());
  dims.insert(dims.end(), x.re.type().dims().begin(), x.re.type().dims().end());
  const Type type(x.re.dtype(), dims);
  return both(x, [&](Value part) { return broadcast(part, type); });
}

WrittenValue einsum(std::span<const WrittenValue> operands, std::string_view equation, DType result) {
  DType wide = result;
  std::vector<Type> types;
  for (const WrittenValue& x : operands) {
    types.push_back(x.re.type());
    wide = promote(wide, x.re.dtype());
  }
  const auto parsed = parse_einsum(equation, types);
  require(parsed.ok(), parsed.reason());
  const auto of_parts = [&](std::initializer_list<Value> parts) {
    std::vector<Value> converted;
    for (const Value part : parts) converted.push_back(convert(part, wide));
    return convert(ir::einsum(*parsed, converted), result);
  };
  if (operands.size() == 1) return both(operands[0], [&](Value x) { return of_parts({x}); });
  require(operands.size() == 2, "takes one or two operands, got ", operands.size());
  return product(operands[0], operands[1], [&](Value a, Value b) { return of_parts({a, b}); });
}

WrittenValue dot(const WrittenValue& a, const WrittenValue& b, DType result) {
  constexpr std::string_view equations[2][2] = {{"a,a->", "a,ab->b"}, {"ab,b->a", "ab,bc->ac"}};
  const int rows = a.re.rank(), columns = b.re.rank();
  require(rows >= 1 && rows <= 2 && columns >= 1 && columns <= 2, "takes vectors and matrices, got ", a.type(), " and ",
          b.type());
  const WrittenValue operands[] = {a, b};
  return einsum(operands, equations[rows - 1][columns - 1], result);
}

WrittenValue torch_index_select(const WrittenValue& x, Value indices, std::int64_t dimension,
                                std::int64_t batch_dimensions) {
  const Type type = x.re.type();
  require(dimension >= 0 && dimension < type.rank(), "there is no dimension ", dimension, " in ", type);
  require(batch_dimensions >= 0 && batch_dimensions <= dimension && batch_dimensions <= indices.rank(), "dimension ",
          dimension, " of ", type, " and the indices ", indices.type(), " cannot have ", batch_dimensions,
          " dimensions in common before them");
  std::vector<std::int64_t> common, others, slices;
  for (std::int64_t d = 0; d < batch_dimensions; ++d) common.push_back(d);
  for (std::int64_t d = 0; d < type.rank(); ++d) {
    const bool is_common = d < batch_dimensions, is_chosen = d == dimension;
    slices.push_back(is_common || is_chosen ? 1 : type.size(d));
    if (!is_common && !is_chosen) others.push_back(d < dimension ? d : d - 1 + indices.rank() - batch_dimensions);
  }
  const std::int64_t chosen[] = {dimension};
  const GatherAttributes attributes{.offset_dims = others,
                                    .collapsed_slice_dims = chosen,
                                    .operand_batching_dims = common,
                                    .start_indices_batching_dims = common,
                                    .start_index_map = chosen,
                                    .index_vector_dim = indices.rank(),
                                    .slice_sizes = slices};
  return both(x, [&](Value part) { return gather(part, indices, attributes); });
}

}  // namespace weft::ir::legalize
