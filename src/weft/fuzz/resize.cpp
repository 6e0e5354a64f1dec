// Makes dimensions smaller throughout a graph.
#include <map>
#include <string>
#include <vector>

#include <weft/fuzz/edits.h>
#include <weft/ir/array.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

using ir::Node;
using ir::Value;

namespace {

struct Change {
  std::int64_t from, to;

  std::int64_t operator()(std::int64_t size) const { return size == from ? to : size; }
  Type operator()(Type type) const {
    std::vector<Dim> dims;
    for (int d = 0; d < type.rank(); ++d) dims.push_back((*this)(type.size(d)));
    return Type(type.dtype(), dims);
  }
};

// Reads the attributes of a node and returns them with lists and literals changed.
class ChangedFields final : public ir::FieldVisitor, public ir::FieldReader {
 public:
  explicit ChangedFields(const Change& change) : change_(change) {}

  void integer(std::string_view name, std::int64_t value, int) override { integers_[std::string(name)] = value; }
  void boolean(std::string_view name, bool value) override { integers_[std::string(name)] = value; }
  void integers(std::string_view name, ir::Ints values) override {
    auto& list = lists_[std::string(name)];
    for (const std::int64_t v : values) list.push_back(change_(v));
  }
  void matrix(std::string_view name, const ir::IntMatrix& values) override { matrices_[std::string(name)] = values; }
  void enumerator(std::string_view name, std::string_view, std::string_view value) override {
    texts_[std::string(name)] = value;
  }
  void string(std::string_view name, std::string_view value) override { texts_[std::string(name)] = value; }
  void literal(std::string_view, const ir::Literal& value) override {
    const Type type = change_(value.type);
    literal_ = {type, value.is_splat() ? value.bytes : value.bytes.first(type.bytes())};
  }

  bool integer(std::string_view name, std::int64_t& value) override {
    value = integers_.at(std::string(name));
    return true;
  }
  bool boolean(std::string_view name, bool& value) override {
    value = integers_.at(std::string(name)) != 0;
    return true;
  }
  bool integers(std::string_view name, ir::Ints& values) override {
    values = lists_.at(std::string(name));
    return true;
  }
  bool matrix(std::string_view name, ir::IntMatrix& values) override {
    values = matrices_.at(std::string(name));
    return true;
  }
  bool enumerator(std::string_view name, std::span<const std::string_view> names, int& value) override {
    value = std::ranges::find(names, texts_.at(std::string(name))) - names.begin();
    return true;
  }
  bool string(std::string_view name, std::string_view& value) override {
    value = texts_.at(std::string(name));
    return true;
  }
  bool literal(std::string_view, ir::Literal& value) override {
    value = literal_;
    return true;
  }

 private:
  const Change& change_;
  std::map<std::string, std::int64_t> integers_;
  std::map<std::string, std::vector<std::int64_t>> lists_;
  std::map<std::string, ir::IntMatrix> matrices_;
  std::map<std::string, std::string_view> texts_;
  ir::Literal literal_;
};

GraphPtr changed(const ir::Graph& graph, const Change& change) {
  auto result = std::make_shared<ir::Graph>();
  std::vector<Node*> map;
  Arena arena;
  const auto at = [&](Value v) { return Value{map[v.node->id], v.index}; };
  for (const Node* node : graph.nodes()) {
    if (node->op == &ir::ops::parameter) {
      map.push_back(result->add_input(change(node->type())).node);
      continue;
    }
    ChangedFields fields(change);
    const ir::AttributeSchema* schema = node->op->attributes;
    if (schema) schema->visit(node->attribute_data, fields);
    std::vector<Value> operands;
    for (const Value v : node->operands) operands.push_back(at(v));
    std::vector<Type> types;
    for (const Type type : node->types) types.push_back(change(type));
    std::vector<GraphPtr> regions;
    for (const ir::Graph* region : node->regions) regions.push_back(changed(*region, change));
    map.push_back(&result->append(*node->op, operands, schema ? schema->read(arena, fields) : nullptr, types, regions));
  }
  std::vector<Value> outputs;
  for (const Value v : graph.outputs()) outputs.push_back(at(v));
  result->set_outputs(std::move(outputs));
  return result;
}

}  // namespace

GraphPtr resized(const GraphPtr& graph, std::int64_t from, std::int64_t to) { return changed(*graph, {from, to}); }

}  // namespace weft::fuzz
