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
void add_tables(const GradientCall& c, int count, Value cotangent, Value ids, Value ends, Value weights) {
  if (!needs_any(c, count)) return;
  std::vector<Type> types;
  for (int i = 0; i < count; ++i) types.push_back(c.x(i).type());
  const auto gradients =
      embedding_bag_gradient(cotangent, ids, ends, weights, types, c.node.attributes<EmbeddingAttributes>());
  for (int i = 0; i < count; ++i)
    if (c.needs(i)) c.add(i, gradients[i]);
}

}  // namespace

void gradient_of_embedding_bag(const GradientCall& c) {
  const auto& a = c.node.attributes<EmbeddingAttributes>();
  const int count = static_cast<int>(c.node.operands.size()) - (a.weighted ? 3 : 2);
  const Value ids = c.x(count), ends = c.x(count + 1), weights = a.weighted ? c.x(count + 2) : Value();
  add_tables(c, count, c.dy(), ids, ends, weights);
  if (a.weighted && c.needs(count + 2))
    c.add(count + 2, embedding_weights_gradient(c.node.operands.first(count), c.dy(), ids, ends, a));
}

void gradient_of_embedding_bag_gradient(const GradientCall& c) {
  const auto& a = c.node.attributes<EmbeddingAttributes>();
  const Value ids = c.x(1), ends = c.x(2), weights = a.weighted ? c.x(3) : Value();
  const std::vector<Value> tables = tables_of(c);
  if (c.needs(0)) c.add(0, embedding_bag(tables, ids, ends, weights, a));
  if (a.weighted && c.needs(3)) c.add(3, embedding_weights_gradient(tables, c.x(0), ids, ends, a));
}

void gradient_of_embedding_weights_gradient(const GradientCall& c) {
  const int count = static_cast<int>(c.node.operands.size()) - 3;
  const Value cotangent = c.x(count), ids = c.x(count + 1), ends = c.x(count + 2), weights = c.dy();
  add_tables(c, count, cotangent, ids, ends, weights);
  if (c.needs(count))
    c.add(count,
          embedding_bag(c.node.operands.first(count), ids, ends, weights, c.node.attributes<EmbeddingAttributes>()));
}

}  // namespace weft::ir
