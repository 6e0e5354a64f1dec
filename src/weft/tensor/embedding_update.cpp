// The update of the rows that lookups have read: gradients of tables become the lookups that they come from.
#include <algorithm>
#include <utility>

#include <weft/ir/autodiff.h>
#include <weft/ir/inline.h>
#include <weft/ir/ops.h>
#include <weft/ir/place_text.h>
#include <weft/ir/row_bodies.h>
#include <weft/tensor/body.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/embedding.h>

namespace weft {

using detail::Body;
using detail::Frame;
using ir::Value;

namespace {

// Appends the gradients of lookups whose sum the gradient of a table is.
void add_terms(Frame& frame, Value gradient, std::vector<Value>& terms) {
  const ir::Node& node = *gradient.node;
  if (node.op == &ir::ops::embedding_bag_gradient) {
    terms.push_back(gradient);
  } else if (node.op == &ir::ops::add) {
    add_terms(frame, node.operand(0), terms);
    add_terms(frame, node.operand(1), terms);
  } else if (!ir::is_zero(gradient)) {
    const bool is_input = node.op == &ir::ops::parameter;
    frame.require(false, "only rows that lookups have read can be updated, but the gradient of a table comes from ",
                  is_input ? "another program" : concat(node.op->name, " at ", ir::place_text(node.location)), ": ",
                  is_input ? "call step in the program of the lookup, without a sync in between"
                           : "use the table in embedding_bag alone, and its gradient as grad returns it",
                  ", or set sparse_update of the parameter to false, which updates all rows");
  }
}

// The attributes of an update, whose lists are spans.
struct UpdateLists {
  std::vector<std::int64_t> lookups, keys, columns, tables, means, weighted, placed, placed_tables, unpooled, bodies;
  std::vector<std::int64_t> counters;  // two for each table
  std::vector<const ir::Node*> nodes;  // the gradient of each lookup

  std::int64_t lookup(const ir::Node* node) {
    const auto found = std::ranges::find(nodes, node);
    const std::int64_t at = found - nodes.begin();
    if (found == nodes.end()) {
      const auto& attributes = node->attributes<ir::EmbeddingAttributes>();
      nodes.push_back(node);
      weighted.push_back(attributes.weighted ? 1 : 0);
      placed.push_back(attributes.placed);
      placed_tables.push_back(0);
      unpooled.push_back(attributes.unpooled ? 1 : 0);
    }
    return at;
  }

  // Adds the entries of a lookup that read this table.
  void add(Value term, std::int64_t table) {
    const ir::Node& node = *term.node;
    const auto& a = node.attributes<ir::EmbeddingAttributes>();
    const std::size_t of_term = 2 * term.index;
    if (!a.counters.empty()) std::copy_n(a.counters.begin() + of_term, 2, counters.begin() + 2 * table);
    if (a.placed > 0) placed_tables[lookup(&node)] = table;
    for (const ir::LookupEntry& entry : ir::lookup_entries(a, node.types)) {
      if (entry.table != term.index) continue;
      lookups.push_back(lookup(&node));
      keys.push_back(entry.key);
      columns.push_back(entry.column);
      tables.push_back(table);
      means.push_back(entry.mean ? 1 : 0);
    }
  }

  // Ids that a lookup rejects make the launch fail there.
  ir::IdBounds bounds() const {
    const auto is_error = [](const ir::Node* node) {
      return node->attributes<ir::EmbeddingAttributes>().bounds == ir::IdBounds::ERROR;
    };
    return std::ranges::all_of(nodes, is_error) ? ir::IdBounds::ERROR : ir::IdBounds::SKIP;
  }

  ir::EmbeddingUpdateAttributes attributes(std::size_t states, bool has_random_bits) const {
    return {.lookups = lookups,
            .keys = keys,
            .columns = columns,
            .tables = tables,
            .means = means,
            .weighted = weighted,
            .bodies = bodies,
            .states = static_cast<std::int64_t>(states),
            .bounds = bounds(),
            .names = nodes.empty() ? std::string_view() : nodes[0]->attributes<ir::EmbeddingAttributes>().names,
            .placed = placed,
            .placed_tables = placed_tables,
            .unpooled = unpooled,
            .counters = has_random_bits ? ir::Ints(counters) : ir::Ints()};
  }
};

// The rows of all tables in one body.
struct RecordedRows {
  std::vector<ir::RowsOfTable> tables;
  std::shared_ptr<const ir::Graph> graph;
  std::vector<Value> captures;  // in the recording around it, for the inputs behind those of the tables
};

using RowFunction = std::function<std::vector<UpdatedRows>(std::span<const TableRows>)>;

RecordedRows record_rows(Frame& frame, std::span<const TableRows> tables, const RowFunction& function,
                         bool has_random_bits) {
  RecordedRows recorded;
  Body body(frame.recording());
  std::vector<TableRows> rows;
  std::size_t inputs = 0, outputs = 0;
  for (const TableRows& table : tables) {
    const Type type = table.value.type();
    TableRows& row = rows.emplace_back();
    row.value = body.add_input(ir::row_type(type));
    row.gradient = body.add_input(ir::row_type(type).with(ir::pooled_dtype(type.dtype())));
    for (const Tensor& state : table.states) row.states.push_back(body.add_input(ir::row_type(state.type())));
    if (has_random_bits) row.random_bits = body.add_input(ir::row_type(type).with(DType::u32));
    ir::RowsOfTable& places = recorded.tables.emplace_back();
    const std::size_t count = 2 + table.states.size() + (has_random_bits ? 1 : 0);
    for (std::size_t i = 0; i < count; ++i) places.inputs.push_back(inputs++);
    for (std::size_t i = 0; i < 1 + table.states.size(); ++i) places.outputs.push_back(outputs++);
  }
  body.record(frame.function(), [&] {
    std::vector<Tensor> results;
    const std::vector<UpdatedRows> updated = function(rows);
    frame.require(updated.size() == tables.size(), "the body returns rows of ", updated.size(), " tables for ",
                  tables.size());
    for (std::size_t t = 0; t < tables.size(); ++t) {
      frame.require(updated[t].states.size() == tables[t].states.size(), "the body returns ", updated[t].states.size(),
                    " states for ", tables[t].states.size());
      results.push_back(updated[t].value);
      results.insert(results.end(), updated[t].states.begin(), updated[t].states.end());
    }
    return results;
  });
  detail::append_captures(frame, body, recorded.captures);
  recorded.graph = body.finish();
  return recorded;
}

// Copies what depends on no row into the recording.
std::vector<Value> numbers_outside(Frame& frame, const RecordedRows& rows, std::span<const Value> numbers) {
  ir::Inliner inliner(frame.graph(), *rows.graph);
  const auto inputs = rows.graph->inputs();
  for (std::size_t i = 0; i < rows.captures.size(); ++i)
    inliner.substitute(inputs[inputs.size() - rows.captures.size() + i], rows.captures[i]);
  return inliner.copy(numbers);
}

// Brings the elements of a cotangent between -limit and limit, if there is a limit.
Value clipped(Frame& frame, Value cotangent, const Tensor& limit) {
  if (!limit.defined()) return cotangent;
  const Value most = detail::broadcast(detail::as(frame.value(limit), cotangent.dtype()), cotangent.type().dims());
  return ir::maximum(ir::minimum(cotangent, most), -most);
}

std::vector<std::vector<Value>> terms_of(Frame& frame, std::span<const TableRows> tables) {
  std::vector<std::vector<Value>> terms;
  for (const TableRows& table : tables) {
    frame.require(table.states.size() == tables[0].states.size(), "all tables must have the same number of states");
    add_terms(frame, frame.value(table.gradient), terms.emplace_back());
  }
  return terms;
}

// Divides tables into groups such that no lookup reads tables of two groups.
std::vector<std::vector<std::size_t>> groups_of(std::span<const std::vector<Value>> terms) {
  std::vector<std::vector<std::size_t>> groups;
  std::vector<std::vector<const ir::Node*>> lookups;  // of each group
  for (std::size_t t = 0; t < terms.size(); ++t) {
    std::vector<std::size_t> tables{t};
    std::vector<const ir::Node*> nodes;
    for (const Value term : terms[t]) nodes.push_back(term.node);
    for (std::size_t g = groups.size(); g-- > 0;) {
      if (std::ranges::find_first_of(lookups[g], nodes) == lookups[g].end()) continue;
      tables.insert(tables.begin(), groups[g].begin(), groups[g].end());
      nodes.insert(nodes.end(), lookups[g].begin(), lookups[g].end());
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(g));
      lookups.erase(lookups.begin() + static_cast<std::ptrdiff_t>(g));
    }
    std::ranges::sort(tables);
    groups.push_back(std::move(tables));
    lookups.push_back(std::move(nodes));
  }
  return groups;
}

// Updates tables. What lookups have in common with no others is updated on its own, so that it waits for their gradients alone.
class Update {
 public:
  Update(Frame& frame, std::span<const TableRows> tables, const RowFunction& function, const UpdateOptions& options)
      : frame_(frame),
        tables_(tables),
        options_(options),
        has_random_bits_(options.random_key.defined()),
        terms_(terms_of(frame, tables)),
        rows_(record_rows(frame, tables, function, has_random_bits_)),
        divided_(ir::divide_rows(*rows_.graph, rows_.tables)),
        results_(tables.size()) {}

  std::vector<UpdatedRows> append() {
    numbers_ = numbers_outside(frame_, rows_, divided_.numbers);
    for (const std::vector<std::size_t>& group : groups_of(terms_)) append(group);
    return std::move(results_);
  }

 private:
  void append(std::span<const std::size_t> group) {
    const std::size_t states = tables_[0].states.size();
    UpdateLists lists;
    std::vector<Value> operands;
    std::vector<std::shared_ptr<const ir::Graph>> bodies;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::size_t t = group[i];
      operands.push_back(frame_.value(tables_[t].value));
      lists.counters.insert(lists.counters.end(),
                            {static_cast<std::int64_t>(t) << 40, ir::counters_of_row(tables_[t].value.size(1))});
      for (const Value term : terms_[t]) lists.add(term, static_cast<std::int64_t>(i));
      const auto& body = divided_.bodies[divided_.of_table[t]];
      const auto known = std::ranges::find(bodies, body);
      lists.bodies.push_back(known - bodies.begin());
      if (known == bodies.end()) bodies.push_back(body);
    }
    for (std::size_t i = 0; i < states; ++i)
      for (const std::size_t t : group) operands.push_back(frame_.value(tables_[t].states[i]));
    for (const ir::Node* node : lists.nodes) {
      operands.push_back(clipped(frame_, node->operand(0), options_.max_gradient));
      operands.insert(operands.end(), node->operands.begin() + 1, node->operands.end());
    }
    if (has_random_bits_) operands.push_back(frame_.value(options_.random_key));
    ir::EmbeddingUpdateAttributes attributes = lists.attributes(states, has_random_bits_);
    const auto has_counters = [&](std::size_t t) { return tables_[t].row_counters.defined(); };
    attributes.row_counters = has_random_bits_ && has_counters(group[0]);
    if (attributes.row_counters) {
      frame_.require(std::ranges::all_of(group, has_counters),
                     "row_counters are those of some of the tables that a lookup reads, not of all");
      for (const std::size_t t : group) operands.push_back(frame_.value(tables_[t].row_counters));
    }
    operands.insert(operands.end(), numbers_.begin(), numbers_.end());
    ir::Node& update = frame_.graph().append(ir::ops::embedding_update, operands, &attributes, {}, bodies);
    for (std::size_t i = 0; i < group.size(); ++i) {
      const auto result = [&](std::size_t of) {
        return frame_.tensor(update.result(static_cast<std::uint32_t>(of * group.size() + i)));
      };
      UpdatedRows& updated = results_[group[i]];
      updated.value = result(0);
      for (std::size_t state = 0; state < states; ++state) updated.states.push_back(result(1 + state));
    }
  }

  Frame& frame_;
  std::span<const TableRows> tables_;
  const UpdateOptions& options_;
  const bool has_random_bits_;
  const std::vector<std::vector<Value>> terms_;  // of the gradient of each table
  const RecordedRows rows_;
  const ir::RowBodies divided_;
  std::vector<Value> numbers_;
  std::vector<UpdatedRows> results_;
};

}  // namespace

std::vector<UpdatedRows> update_rows(std::span<const TableRows> tables, const RowFunction& body,
                                     const UpdateOptions& options, std::source_location where) {
  Frame frame("update_rows", where);
  for (const TableRows& table : tables) {
    frame.require(table.value.defined() && table.gradient.defined() && table.value.rank() == 2 &&
                      table.value.type() == table.gradient.type(),
                  "a table must be a matrix and have a gradient of its type");
    frame.require(table.value.dtype() == tables[0].value.dtype(), "the tables must have one dtype, got ",
                  tables[0].value.type(), " and ", table.value.type());
  }
  return tables.empty() ? std::vector<UpdatedRows>() : Update(frame, tables, body, options).append();
}

}  // namespace weft
