#include <weft/compiler/thunks/embedding_plan.h>

#include <limits>
#include <map>
#include <utility>

#include <weft/ir/builder.h>

namespace weft::compiler {

namespace {

// (row, scale) -> scale * row, or (sum, row, scale) -> sum + scale * row.
std::shared_ptr<const ir::Graph> sum_body(DType row, DType sum, bool adds) {
  std::vector<Type> types{Type(row, {}), Type(sum, {})};
  if (adds) types.insert(types.begin(), Type(sum, {}));
  return ir::make_graph(types, [&](ir::Graph&, std::span<const ir::Value> x) {
    const ir::Value term = ir::multiply(ir::convert(x[adds ? 1 : 0], sum), x.back());
    return std::vector{adds ? ir::add(x[0], term) : term};
  });
}

}  // namespace

LookupOperands lookup_operands(const ir::Node& node, const SizeValues& sizes, int ids, bool weighted, int cotangent) {
  const Type of_ids = node.operand(ids).type(), ends = sizes(node.operand(ids + 1).type());
  LookupOperands operands{.ids = ids,
                          .ends = ids + 1,
                          .weights = weighted ? ids + 2 : -1,
                          .wide_ids = of_ids.dtype() == DType::i64,
                          .wide_ends = ends.dtype() == DType::i64,
                          .count = sizes(of_ids).size(0),
                          .batch = ends.size(1),
                          .cotangent = cotangent};
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  require(operands.batch <= most, node.op->name, ": a batch has at most 2^32 - 1 samples, got ", operands.batch);
  if (cotangent >= 0) operands.columns = sizes(node.operand(cotangent).type()).size(1);
  return operands;
}

std::int64_t most_occurrences(const LookupPlan& plan, std::span<const LookupOperands> lookups) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> entries_of_key;
  std::vector<std::int64_t> most(lookups.size());
  for (const ir::LookupEntry& entry : plan.entries)
    most[entry.lookup] = std::max(most[entry.lookup], ++entries_of_key[{entry.lookup, entry.key}]);
  std::int64_t count = 0;
  for (std::size_t i = 0; i < lookups.size(); ++i) count += most[i] * lookups[i].count;
  return count;
}

void set_embedding_form(Unit& unit, const ir::Node& node, const NativeContext& context,
                        std::function<Unit(const SizeValues& sizes)> at) {
  std::vector<Size> sizes;
  for (const ir::Value operand : node.operands)
    for (const Dim dim : operand.type().dims()) sizes.emplace_back(dim);
  for (const Type type : node.types)
    for (const Dim dim : type.dims()) sizes.emplace_back(dim);
  const bool known = std::ranges::all_of(sizes, &Size::is_constant);
  set_form(unit, std::move(sizes),
           [at = std::move(at), routines = context.routines](const SizeValues& values) -> std::optional<Unit> {
             Unit made = at(values);
             made.thunk().routines = routines;
             return made;
           });
  // A unit for sizes that are not known yet has them in the form that it gets later.
  if (!known) context.routines.clear();
}

RowSum::RowSum(DType rows, DType sum, const NativeContext& context)
    : same_(rows == sum),
      start_graph_(sum_body(rows, sum, false)),
      add_graph_(sum_body(rows, sum, true)),
      start_(*start_graph_, context),
      add_(*add_graph_, context),
      start_strides_{byte_size(rows), 0, byte_size(sum)},
      add_strides_{byte_size(sum), byte_size(rows), 0, byte_size(sum)} {}

}  // namespace weft::compiler
