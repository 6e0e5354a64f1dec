#include <weft/compiler/thunks/embedding_plan.h>

#include <limits>
#include <map>
#include <utility>

#include <weft/ir/builder.h>

namespace weft::compiler {

namespace {

// (sum, row, scale, row, scale...) -> sum + scale * row + ..., or without the sum.
std::shared_ptr<const ir::Graph> sum_body(std::int64_t width, DType row, DType sum, int rows, bool adds) {
  const Type of_sum(sum, {width});
  std::vector<Type> types{of_sum};
  for (int i = 0; i < rows; ++i) types.insert(types.end(), {of_sum.with(row), Type(sum, {})});
  return ir::make_graph(types, [&](ir::Graph&, std::span<const ir::Value> x) {
    ir::Value result = adds ? x[0] : ir::Value();
    for (int i = 0; i < rows; ++i) {
      const ir::Value term = ir::multiply(ir::convert(x[1 + 2 * i], sum), ir::broadcast(x[2 + 2 * i], of_sum));
      result = result ? ir::add(result, term) : term;
    }
    return std::vector{result};
  });
}

}  // namespace

LookupOperands lookup_operands(const ir::Node& node, const SizeValues& sizes, const ir::LookupOperandPlaces& at,
                               const PlacedRows& placed, bool unpooled, int cotangent) {
  const Type ids = sizes(node.operand(at.ids).type()), ends = sizes(node.operand(at.ends).type());
  LookupOperands operands{.at = at,
                          .wide_ids = ids.dtype() == DType::i64,
                          .wide_ends = ends.dtype() == DType::i64,
                          .unpooled = unpooled,
                          .count = ids.elements(),
                          .batch = ends.size(ends.rank() - 1),
                          .blocks = ids.rank() == 2 ? ids.size(0) : 1,
                          .keys = ends.size(ends.rank() - 2),
                          .cotangent = cotangent,
                          .pieces = at.pieces < 0 ? Type() : sizes(node.operand(at.pieces).type()),
                          .table = placed.table,
                          .repeats = placed.repeats,
                          .table_type = placed.table_type};
  operands.batch *= operands.blocks;
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  require(operands.batch <= most, node.op->name, ": a batch has at most 2^32 - 1 samples, got ", operands.batch);
  require(!unpooled || operands.count <= most, node.op->name, ": an unpooled lookup has at most 2^32 - 1 ids, got ",
          operands.count);
  if (cotangent >= 0) {
    operands.columns = 1;
    for (const Dim dim : sizes(node.operand(cotangent).type()).dims().subspan(ids.rank()))
      operands.columns *= dim.value();
  }
  return operands;
}

LaunchPlan::LaunchPlan(const LookupPlan& plan, std::span<const LookupOperands> lookups, const runtime::Launch& launch,
                       std::span<const runtime::Slice> reads)
    : plan_(plan) {
  for (std::size_t i = 0; i < lookups.size(); ++i) {
    const LookupOperands& lookup = lookups[i];
    if (lookup.at.pieces < 0) continue;
    if (!own_) own_ = plan;
    const std::span pieces(launch.at<std::int64_t>(reads[lookup.at.pieces]), lookup.pieces.elements());
    ir::append_placed(own_->entries, {.pieces = pieces,
                                      .type = lookup.pieces,
                                      .lookup = static_cast<std::int64_t>(i),
                                      .table = lookup.table,
                                      .table_type = lookup.table_type,
                                      .keys = lookup.keys,
                                      .unpooled = lookup.unpooled});
  }
}

std::int64_t most_occurrences(const LookupPlan& plan, std::span<const LookupOperands> lookups) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> entries_of_key;
  std::vector<std::int64_t> most(lookups.size());
  for (const ir::LookupEntry& entry : plan.entries)
    most[entry.lookup] = std::max(most[entry.lookup], ++entries_of_key[{entry.lookup, entry.key}]);
  std::int64_t count = 0;
  for (std::size_t i = 0; i < lookups.size(); ++i) {
    const std::int64_t placed = lookups[i].at.pieces < 0 ? 0 : lookups[i].repeats * lookups[i].pieces.size(0);
    count += (most[i] + placed) * lookups[i].count;
  }
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

RowSums::OfWidth::OfWidth(std::int64_t of, DType rows, DType sum, const NativeContext& context)
    : width(of),
      row_bytes(of * byte_size(rows)),
      same(rows == sum),
      start(*sum_body(of, rows, sum, 1, false), context),
      add(*sum_body(of, rows, sum, 1, true), context),
      add_several(*sum_body(of, rows, sum, together, true), context) {}

RowSums::RowSums(std::span<const std::int64_t> widths, DType rows, DType sum, const NativeContext& context) {
  for (const std::int64_t width : widths) {
    const auto known = std::ranges::find(sums_, width, [](const auto& of) { return of->width; });
    of_table_.push_back(known - sums_.begin());
    if (known == sums_.end()) sums_.push_back(std::make_unique<const OfWidth>(width, rows, sum, context));
  }
}

}  // namespace weft::compiler
