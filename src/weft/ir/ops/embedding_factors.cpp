// Along which dimensions lookups in embedding tables can be split: the blocks of the batch, the parts of placed rows, and their columns.
#include <weft/ir/factors.h>
#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

using Split = Factor::Kind;

// The letters of a lookup whose rows are placed, or none.
struct PlacedLetters {
  int parts = -1, slots = -1, columns = -1;
};

PlacedLetters add_placed(Factors& f, Type pieces, Type table, Split parts, Split columns) {
  return {f.add(pieces.dim(0), parts), f.add(pieces.dim(1), Split::whole), f.add(table.dim(1), columns)};
}

// Returns the letter of the parts of an update. Tables with equal numbers of parts share it, because devices have a part of each of them.
int parts_of_update(Factors& f, Dim parts, std::vector<int>& known) {
  for (const int letter : known)
    if (f.all[letter].size == parts) return letter;
  return known.emplace_back(f.add(parts));
}

// The rows of a part belong together.
std::vector<DimFactors> rows_of(Factors& f, Type pieces, Type table, const PlacedLetters& letters) {
  const Dim rows = table.dim(0), parts = pieces.dim(0);
  if (!rows.is_constant() || !parts.is_constant()) return {{}, {letters.columns}};
  return {{letters.parts, f.add(rows.value() / parts.value(), Split::whole)}, {letters.columns}};
}

// Gives the operands of a lookup their letters, and returns those of the dimensions of pooled rows.
std::vector<DimFactors> add_lookup(const Node& node, Factors& f, const LookupOperandPlaces& at,
                                   const PlacedLetters& placed, bool unpooled, Split blocks) {
  std::vector<DimFactors> pooled;
  const Type ids = node.operand(at.ids).type(), ends = node.operand(at.ends).type();
  if (ids.rank() == 2) {
    const int letter = f.add(ids.dim(0), blocks);
    f.operands[at.ids][0] = f.operands[at.ends][0] = {letter};
    if (at.weights >= 0) f.operands[at.weights][0] = {letter};
    pooled.push_back({letter});
  }
  const int samples = f.add(ends.dim(ends.rank() - 1), Split::whole);
  f.operands[at.ends][ends.rank() - 1] = {samples};
  if (unpooled)
    pooled.emplace_back();
  else
    pooled.push_back({samples});
  if (at.pieces >= 0) {
    f.operands[at.pieces] = {{placed.parts}, {placed.slots}, {}};
    pooled.push_back({placed.parts});
    if (!unpooled) pooled.push_back({placed.slots});
    pooled.push_back({placed.columns});
  } else {
    pooled.emplace_back();
  }
  return pooled;
}

}  // namespace

void embedding_bag_factors(const Node& node, Factors& f) {
  const auto& a = node.attributes<EmbeddingAttributes>();
  const int tables = lookup_tables(node);
  const LookupOperandPlaces at = lookup_operand_places(tables, a.weighted, a.placed > 0);
  PlacedLetters placed;
  if (at.pieces >= 0) {
    const Type table = node.operand(0).type(), pieces = node.operand(at.pieces).type();
    placed = add_placed(f, pieces, table, Split::pass, Split::pass);
    f.operands[0] = rows_of(f, pieces, table, placed);
  }
  f.results[0] = add_lookup(node, f, at, placed, a.unpooled, Split::pass);
}

void embedding_bag_gradient_factors(const Node& node, Factors& f) {
  const auto& a = node.attributes<EmbeddingAttributes>();
  const LookupOperandPlaces at = lookup_operand_places(1, a.weighted, a.placed > 0);
  PlacedLetters placed;
  if (at.pieces >= 0) {
    const Type table = node.type(), pieces = node.operand(at.pieces).type();
    placed = add_placed(f, pieces, table, Split::pass, Split::pass);
    f.results[0] = rows_of(f, pieces, table, placed);
  }
  f.operands[0] = add_lookup(node, f, at, placed, a.unpooled, Split::reduced);
}

void embedding_weights_gradient_factors(const Node& node, Factors& f) {
  const auto& a = node.attributes<EmbeddingAttributes>();
  const int tables = lookup_tables(node);
  const LookupOperandPlaces at = lookup_operand_places(tables + 1, false, a.placed > 0);
  PlacedLetters placed;
  if (at.pieces >= 0) {
    const Type table = node.operand(0).type(), pieces = node.operand(at.pieces).type();
    placed = add_placed(f, pieces, table, Split::reduced, Split::reduced);
    f.operands[0] = rows_of(f, pieces, table, placed);
  }
  f.operands[tables] = add_lookup(node, f, at, placed, a.unpooled, Split::pass);
  if (f.operands[at.ids].size() == 2) f.results[0][0] = f.operands[at.ids][0];
}

// Each row is updated once, with all of its gradients, so blocks are not split.
void embedding_update_factors(const Node& node, Factors& f) {
  const auto& a = node.attributes<EmbeddingUpdateAttributes>();
  const UpdateOperands places = update_operands(a);
  std::vector<PlacedLetters> of_table(places.tables);
  std::vector<int> parts;
  for (std::size_t i = 0; i < places.lookups.size(); ++i) {
    const UpdateOperands::Lookup& at = places.lookups[i];
    PlacedLetters placed;
    if (at.pieces >= 0) {
      const int table = static_cast<int>(a.placed_tables[i]);
      const Type type = node.operand(table).type(), pieces = node.operand(at.pieces).type();
      placed = of_table[table];
      if (placed.parts < 0) {
        placed = of_table[table] = {parts_of_update(f, pieces.dim(0), parts), f.add(pieces.dim(1), Split::whole),
                                    f.add(type.dim(1), Split::whole)};
        f.operands[table] = f.results[table] = rows_of(f, pieces, type, placed);
        for (int s = 0; s < places.states; ++s)
          f.operands[places.state(table, s)][0] = f.results[places.state(table, s)][0] = f.operands[table][0];
        if (places.row_counters >= 0) f.operands[places.row_counters + table][0] = f.operands[table][0];
      } else {
        placed.slots = f.add(pieces.dim(1), Split::whole);
      }
    }
    f.operands[at.cotangent] = add_lookup(node, f, at, placed, at.unpooled, Split::whole);
  }
}

}  // namespace weft::ir
