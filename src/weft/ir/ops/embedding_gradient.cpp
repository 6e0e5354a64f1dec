// Gradients of lookups: each of the three ops is a derivative of one function (embedding.h), and so are its own derivatives.
#include <weft/ir/ops.h>
#include <weft/ir/ops/gradients.h>

namespace weft::ir {

namespace {

// Returns the cotangents of all tables; zeros where there is none.
std::vector<Value> tables_of(const GradientCall& c) {
  std::vector<Value> tables;
  for (std::size_t i = 0; i < c.cotangents.size(); ++i)
    tables.push_back(c.cotangents[i] ? c.cotangents[i] : zeros_like(c.y(static_cast<std::uint32_t>(i))));
  return tables;
}

bool needs_any(const GradientCall& c, int count) {
  for (int i = 0; i < count; ++i)
    if (c.needs(i)) return true;
  return false;
}

// Adds the gradients of the tables, which are the first operands.
void add_tables(const GradientCall& c, int count, Value cotangent, const LookupValues& lookup) {
  if (!needs_any(c, count)) return;
  std::vector<Type> types;
  for (int i = 0; i < count; ++i) types.push_back(c.x(i).type());
  const auto gradients = embedding_bag_gradient(cotangent, lookup, types, c.node.attributes<EmbeddingAttributes>());
  for (int i = 0; i < count; ++i)
    if (c.needs(i)) c.add(i, gradients[i]);
}

LookupValues values_at(const GradientCall& c, const LookupOperandPlaces& at) {
  return {c.x(at.ids), c.x(at.ends), at.weights < 0 ? Value() : c.x(at.weights),
          at.pieces < 0 ? Value() : c.x(at.pieces)};
}

}  // namespace

void gradient_of_embedding_bag(const GradientCall& c) {
  const auto& a = c.node.attributes<EmbeddingAttributes>();
  const int count = lookup_tables(c.node);
  const LookupOperandPlaces at = lookup_operand_places(count, a.weighted, a.placed > 0);
  const LookupValues lookup = values_at(c, at);
  add_tables(c, count, c.dy(), lookup);
  if (a.weighted && c.needs(at.weights))
    c.add(at.weights, embedding_weights_gradient(c.node.operands.first(count), c.dy(), lookup, a));
}

void gradient_of_embedding_bag_gradient(const GradientCall& c) {
  const auto& a = c.node.attributes<EmbeddingAttributes>();
  const LookupOperandPlaces at = lookup_operand_places(1, a.weighted, a.placed > 0);
  const LookupValues lookup = values_at(c, at);
  const std::vector<Value> tables = tables_of(c);
  if (c.needs(0)) c.add(0, embedding_bag(tables, lookup, a));
  if (a.weighted && c.needs(at.weights)) c.add(at.weights, embedding_weights_gradient(tables, c.x(0), lookup, a));
}

void gradient_of_embedding_weights_gradient(const GradientCall& c) {
  const auto& a = c.node.attributes<EmbeddingAttributes>();
  const int count = lookup_tables(c.node);
  LookupValues lookup = values_at(c, lookup_operand_places(count + 1, false, a.placed > 0));
  lookup.weights = c.dy();
  add_tables(c, count, c.x(count), lookup);
  if (c.needs(count)) c.add(count, embedding_bag(c.node.operands.first(count), lookup, a));
}

}  // namespace weft::ir
