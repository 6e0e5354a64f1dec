#include <weft/record/nan_check.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <weft/base/dtype.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/element_text.h>
#include <weft/ir/ops.h>
#include <weft/record/sync.h>

namespace weft::record {

namespace {

using ir::Node;
using ir::Value;

// The NaNs and infinities among the elements of a value.
struct Health {
  bool nan = false, infinite = false;
  std::int64_t first = -1;  // index of the first NaN or infinity
  bool bad() const { return nan || infinite; }
};

// Calls `see` with the index and value of elements `first` to `last` - 1 of a floating-point tensor.
template <class See>
void for_elements(Type type, std::span<const std::byte> bytes, std::int64_t first, std::int64_t last, See see) {
  visit_any(type.dtype(), [&]<class T>(T) {
    const auto* const elements = reinterpret_cast<const T*>(bytes.data());
    for (std::int64_t i = first; i < last; ++i) see(i, elements[i]);
  });
}

std::string element(Type type, std::span<const std::byte> bytes, std::int64_t at) {
  const std::size_t width = byte_size(type.dtype());
  const ir::Array one(Type(type.dtype(), {}), bytes.subspan(at * width, width));
  return ir::element_text(one, 0);
}

Health health_of(Type type, std::span<const std::byte> bytes) {
  Health health;
  if (!is_float(type.dtype())) return health;
  for_elements(type, bytes, 0, type.elements(), [&](std::int64_t i, double value) {
    if (std::isfinite(value)) [[likely]]
      return;
    if (health.first < 0) health.first = i;
    (std::isnan(value) ? health.nan : health.infinite) = true;
  });
  return health;
}

Health health_of(const runtime::BufferPtr& buffer) { return health_of(buffer->type(), buffer->bytes()); }

std::shared_ptr<const ir::Graph> without_composites(std::shared_ptr<const ir::Graph> graph) {
  auto inlined = compiler::inline_composites(*graph);
  return inlined ? std::move(inlined) : std::move(graph);
}

// Runs a program again and returns any of its values.
class Rerun {
 public:
  Rerun(std::shared_ptr<const ir::Graph> graph, Backend backend, std::span<const runtime::BufferPtr> inputs)
      : graph_(without_composites(std::move(graph))),
        backend_(backend == Backend::compiled ? Backend::eager : backend),
        inputs_(inputs.begin(), inputs.end()) {}

  const ir::Graph& graph() const { return *graph_; }

  std::vector<runtime::BufferPtr> values(std::span<const Value> wanted) const {
    const auto program = compiler::copy_of(*graph_);  // a copy, with other outputs
    std::vector<Value> outputs;
    for (const Value v : wanted) outputs.push_back({program->nodes()[v.node->id], v.index});
    program->set_outputs(std::move(outputs));
    std::optional<compiler::Report> report;
    return device().launch(build(backend_, program, {}, report), inputs_);
  }

  runtime::BufferPtr value(Value v) const {
    if (v.node->op != &ir::ops::parameter) return values({&v, 1})[0];
    return inputs_[v.node->attributes<ir::ParameterAttributes>().index];
  }

  // Returns the health of every value, by node id; values that are not floating-point count as good.
  std::vector<std::vector<Health>> health() const;

 private:
  static constexpr std::int64_t bytes_at_once = std::int64_t{1} << 30;

  std::shared_ptr<const ir::Graph> graph_;
  Backend backend_;
  std::vector<runtime::BufferPtr> inputs_;
};

std::vector<std::vector<Health>> Rerun::health() const {
  std::vector<std::vector<Health>> all;
  for (const Node* node : graph_->nodes()) all.emplace_back(node->types.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) all[graph_->inputs()[i].node->id][0] = health_of(inputs_[i]);
  std::vector<Value> wanted;
  std::int64_t bytes = 0;
  const auto look = [&] {
    const auto buffers = values(wanted);
    for (std::size_t i = 0; i < wanted.size(); ++i) all[wanted[i].node->id][wanted[i].index] = health_of(buffers[i]);
    wanted.clear();
    bytes = 0;
  };
  for (Node* node : graph_->nodes()) {
    if (node->op == &ir::ops::parameter) continue;
    for (std::uint32_t i = 0; i < node->types.size(); ++i) {
      if (!is_float(node->types[i].dtype())) continue;
      if (bytes > 0 && bytes + node->types[i].bytes() > bytes_at_once) look();
      wanted.push_back({node, i});
      bytes += node->types[i].bytes();
    }
  }
  if (!wanted.empty()) look();
  return all;
}

std::string place(const Node& node) {
  std::string text(node.op->name);
  if (node.location.line != 0) text += concat(" at ", node.location.file, ':', node.location.line);
  if (*node.location.scope) text += concat(" (", node.location.scope, ')');
  return text;
}

class Search {
 public:
  explicit Search(const Rerun& rerun) : rerun_(rerun), health_(rerun.health()) {}

  // Returns the first operation whose bad results reached `output` and whose operands were better; null if no operation made
  // them.
  const Node* culprit(Value output) const {
    return first_on_the_way(output, [&](const Node& node) { return made(node); });
  }
  // Returns an input with NaN that reached `output`; null if there is none.
  const Node* source(Value output) const {
    const auto is_source = [&](const Node& node) { return node.op == &ir::ops::parameter && health_[node.id][0].nan; };
    return first_on_the_way(output, is_source);
  }

  const Health& at(Value v) const { return health_[v.node->id][v.index]; }

  std::string describe(const Node& node) const {
    const auto& results = health_[node.id];
    const auto bad = std::ranges::find_if(results, &Health::bad);
    const Type type = node.types[bad - results.begin()];
    std::string text =
        concat(place(node), " made ", bad->nan ? "NaN" : "infinity", ": element ", bad->first, " of ", type);
    if (node.op->kind != ir::Kind::elementwise) return text;
    const char* separator = ", from ";
    for (const Value operand : node.operands) {
      const std::int64_t where = operand.type().elements() == type.elements() ? bad->first : 0;
      text += concat(separator, element(operand.type(), rerun_.value(operand)->bytes(), where));
      separator = " and ";
    }
    return text;
  }

 private:
  template <class Fits>
  const Node* first_on_the_way(Value output, Fits fits) const {
    std::vector<bool> seen(health_.size());
    std::vector<const Node*> way{output.node};
    const Node* first = nullptr;
    while (!way.empty()) {
      const Node* node = way.back();
      way.pop_back();
      if (seen[node->id]) continue;
      seen[node->id] = true;
      if (fits(*node) && (!first || node->id < first->id)) first = node;
      for (const Value operand : node->operands)
        if (at(operand).bad()) way.push_back(operand.node);
    }
    return first;
  }

  bool made(const Node& node) const {
    if (node.op->kind == ir::Kind::source) return false;
    Health before, after;
    for (const Value operand : node.operands) {
      before.nan |= at(operand).nan;
      before.infinite |= at(operand).infinite;
    }
    for (const Health& result : health_[node.id]) {
      after.nan |= result.nan;
      after.infinite |= result.infinite;
    }
    return (after.nan && !before.nan) || (after.infinite && !before.bad());
  }

  const Rerun& rerun_;
  std::vector<std::vector<Health>> health_;
};

// Explains why a result is bad; returns nullopt if it stems from a constant of the program, and so is intended.
std::optional<std::string> explain(const Search& search, Value output, const Health& health) {
  const std::string what = health.nan ? "NaN" : "infinity";
  if (!search.at(output).bad())
    return concat("the result of ", place(*output.node), " holds ", what,
                  ", but not when every operation runs alone: WEFT_FUSE=0 and docs/debugging.md tell more");
  if (const Node* culprit = search.culprit(output)) return search.describe(*culprit);
  if (const Node* source = search.source(output))
    return concat(what, " came in with an input, ", source->type(), ", and reached the result of ",
                  place(*output.node));
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_nan(std::shared_ptr<const ir::Graph> graph, Backend backend,
                                    std::span<const runtime::BufferPtr> inputs,
                                    std::span<const runtime::BufferPtr> results) {
  if (results.empty() || results.front()->event()->error()) return std::nullopt;
  std::vector<Health> health;
  for (const runtime::BufferPtr& result : results) health.push_back(health_of(result));
  if (std::ranges::none_of(health, &Health::bad)) return std::nullopt;
  const Rerun rerun(std::move(graph), backend, inputs);
  const Search search(rerun);
  for (std::size_t i = 0; i < health.size(); ++i) {
    if (!health[i].bad()) continue;
    if (auto why = explain(search, rerun.graph().outputs()[i], health[i])) return why;
  }
  return std::nullopt;
}

}  // namespace weft::record
