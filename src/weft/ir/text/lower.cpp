#include <weft/ir/text/lower.h>

#include <algorithm>

#include <weft/ir/ops.h>
#include <weft/ir/text/fields.h>
#include <weft/ir/text/lowering.h>

namespace weft::ir::text {

const Op* op_named(std::string_view name) {
  const auto dot = name.find('.');
  if (dot == name.npos) return nullptr;
  const Op* op = find_op(name.substr(dot + 1));
  return op && op != &ops::parameter && op->call_target.empty() && op->dialect == name.substr(0, dot) ? op : nullptr;
}

bool is_small_constant(Value v) {
  return v.node->op == &ops::constant && v.node->attributes<ConstantAttributes>().value.bytes.size() <= sizeof(double);
}

Module Lowering::run() {
  ModuleAnnotations said{unescape(module_.name), verbatim_.annotations(module_.attributes), {}};
  for (const NamedAttribute& mesh : module_.meshes) {
    std::string text = verbatim_.text(mesh.value);
    if (text.starts_with("#sdy.mesh"))
      text.erase(0, std::string_view("#sdy.mesh").size());  // as the generic form has it
    said.meshes.push_back({unescape(mesh.name), std::move(text)});
  }
  if (!said.name.empty() || !said.attributes.empty() || !said.meshes.empty())
    annotations_ = std::make_shared<ModuleAnnotations>(std::move(said));
  Module result;
  for (const Function& f : module_.functions)
    if (!f.is_private) result.functions.push_back(function(f));
  return result;
}

const Function& Lowering::called(const Operation& op, std::string_view attribute) const {
  const Attribute* callee = find(op.attributes, attribute);
  if (!callee || callee->kind != Attribute::Kind::symbol) fail(op, concat("expected ", attribute, " = @function"));
  return called(op, *callee);
}

const Function& Lowering::called(const Operation& op, const Attribute& callee) const {
  const auto found = functions_.find(callee.text);
  if (found == functions_.end()) fail(op, concat("there is no function @", callee.text));
  return *found->second;
}

const std::shared_ptr<const Graph>& Lowering::callee(const Function& function) {
  if (const auto known = callees_.find(function.name); known != callees_.end()) return known->second;
  auto graph = this->function(function);  // may lower others on its way
  return callees_.emplace(function.name, std::move(graph)).first->second;
}

std::shared_ptr<Graph> Lowering::function(const Function& function) {
  auto graph = std::make_shared<Graph>();
  graph->name = unescape(function.name);
  Values arguments;
  for (const Argument& a : function.body.arguments) arguments.push_back(graph->add_input(a.type));
  Values results = body(*graph, function, arguments);
  graph->set_outputs(std::move(results));
  graph->set_location({});
  annotate(*graph, function);
  return graph;
}

void Lowering::annotate(Graph& graph, const Function& function) {
  FunctionAnnotations said;
  said.module = annotations_;
  said.attributes = verbatim_.annotations(function.attributes);
  for (const Argument& a : function.body.arguments) said.arguments.push_back(verbatim_.annotations(a.attributes));
  for (const auto& attributes : function.result_attributes) said.results.push_back(verbatim_.annotations(attributes));
  said.results.resize(graph.outputs().size());
  if (auto nodes = node_annotations_.extract(&graph)) said.nodes = std::move(nodes.mapped());
  const auto any = [](const auto& list) { return std::ranges::any_of(list, [](const auto& a) { return !a.empty(); }); };
  if (said.module || !said.attributes.empty() || any(said.arguments) || any(said.results) || !said.nodes.empty())
    graph.annotations = std::make_shared<FunctionAnnotations>(std::move(said));
}

Values Lowering::body(Graph& graph, const Function& function, std::span<const Value> arguments) {
  if (!function.has_body) source_.fail(function.at, concat("func.func @", function.name, ": has no body"));
  if (std::ranges::find(calls_, &function) != calls_.end())
    source_.fail(function.at, concat("func.func @", function.name, ": calls itself"));
  if (static_cast<int>(calls_.size()) >= limits_.depth)
    source_.fail(function.at, concat("more than ", limits_.depth, " calls in each other"));
  calls_.push_back(&function);
  Scope scope;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& a = function.body.arguments[i];
    if (!scope.emplace(Use{a.name}, arguments[i]).second) source_.fail(a.at, concat(a.name, " is defined twice"));
  }
  Values results = block(graph, function.body, scope, "func.return");
  calls_.pop_back();
  const bool fits = std::ranges::equal(results, function.results, [](Value v, Type t) { return v.type() == t; });
  if (!fits)
    source_.fail(function.at, concat("func.func @", function.name, ": what it returns is not of its result types"));
  return results;
}

Values Lowering::block(Graph& graph, const Region& region, Scope& scope, std::string_view terminator) {
  for (const Operation& op : region.operations) {
    if (++operations_ > limits_.operations)
      fail(op, concat("more than ", limits_.operations, " operations, calls included"));
    // A comparator that is a function ends as the region would that it stands for.
    if (op.name == terminator || (op.name == "stablehlo.return" && terminator == "func.return")) {
      if (&op != &region.operations.back()) fail(op, "more operations follow");
      return operands(scope, op);
    }
    const Values values = operation(graph, scope, op);
    define(scope, op, values);
  }
  source_.fail(region.at, concat("expected the region to end with ", terminator));
}

void Lowering::define(Scope& scope, const Operation& op, std::span<const Value> values) const {
  std::size_t at = 0;
  for (const Results& results : op.results)
    for (std::uint32_t i = 0; i < results.count; ++i, ++at) {
      if (at == values.size()) fail(op, concat("has ", values.size(), " results, not as many as are named"));
      if (!scope.emplace(Use{results.name, i}, values[at]).second) fail(op, concat(results.name, " is defined twice"));
    }
  if (at != 0 && at != values.size()) fail(op, concat("has ", values.size(), " results, ", at, " are named"));
}

Value Lowering::lookup(const Scope& scope, const Use& use) const {
  const auto found = scope.find(use);
  if (found == scope.end())
    source_.fail(use.at, concat(use.name, use.index ? concat('#', use.index) : "", " is not defined"));
  return found->second;
}

Values Lowering::operands(const Scope& scope, const Operation& op) const {
  Values values;
  values.reserve(op.operands.size());
  for (const Use& use : op.operands) values.push_back(lookup(scope, use));
  if (op.operand_types.empty()) return values;
  if (op.operand_types.size() != values.size())
    fail(op, concat("has ", values.size(), " operands and ", op.operand_types.size(), " types for them"));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i].type() != op.operand_types[i])
      source_.fail(op.operands[i].at,
                   concat(op.name, ": ", op.operands[i].name, " is ", values[i].type(), ", not ", op.operand_types[i]));
  return values;
}

Values Lowering::operation(Graph& graph, const Scope& scope, const Operation& op) {
  if (op.location != nowhere)
    graph.set_location(locations_.read(op.location));
  else
    graph.set_location({});
  if (const LoweringRule rule = rule_named(op.name)) return (this->*rule)(graph, scope, op);
  if (const ChloFunction* known = find_chlo(op.name)) return chlo(*known, scope, op);
  if (const DynamicOperation* known = find_dynamic(op.name)) return dynamic(graph, scope, op, *known);
  const Op* kind = op_named(op.name);
  if (!kind) source_.fail_unsupported(op.at, concat(op.name, ": unsupported here"), op.name);
  return append(graph, op, *kind, operands(scope, op), op.result_types, closed_regions(op, scope, {}));
}

Values Lowering::append(Graph& graph, const Operation& op, const Op& kind, std::span<const Value> operands,
                        std::span<const Type> types, const Regions& regions, const void* given_attributes) {
  Arena scratch;
  const void* attributes = given_attributes;
  if (kind.attributes && !attributes) {
    AttributeReader reader(source_, module_, op, scratch);
    attributes = kind.attributes->read(scratch, reader);
  }
  try {
    Node& node = graph.append(kind, operands, attributes, types, regions);
    Values results;
    for (std::uint32_t i = 0; i < node.types.size(); ++i) results.push_back(node.result(i));
    if (Annotations said = verbatim_.annotations(op.attributes); !said.empty())
      node_annotations_[&graph][node.id] = std::move(said);
    return results;
  } catch (const Error& wrong) {
    source_.fail(op.at, wrong.what());
  }
}

std::shared_ptr<Graph> Lowering::closed(const Operation& op, const Region& region, const Scope& outer,
                                        std::span<const Use> passed) {
  auto graph = std::make_shared<Graph>();
  Scope scope;
  for (const Argument& a : region.arguments)
    if (!scope.emplace(Use{a.name}, graph->add_input(a.type)).second)
      source_.fail(a.at, concat(a.name, " is defined twice"));
  for (const Use& use : passed) scope.emplace(use, graph->add_input(lookup(outer, use).type()));
  for (const Use& use : region.captures) {
    if (scope.contains(use)) continue;
    const Value value = lookup(outer, use);
    if (!is_small_constant(value))
      source_.fail(use.at, concat(op.name, ": ", use.name, " comes from outside the region, which must be closed"));
    scope.emplace(use, graph->append_copy(*value.node, {}).result());
  }
  Values outputs = block(*graph, region, scope, "stablehlo.return");
  graph->set_outputs(std::move(outputs));
  graph->set_location({});
  if (auto nodes = node_annotations_.extract(graph.get()))
    graph->annotations = std::make_shared<FunctionAnnotations>(FunctionAnnotations{.nodes = std::move(nodes.mapped())});
  return graph;
}

namespace {

// A body that is one op becomes the one all such reductions share.
std::shared_ptr<const Graph> shared_body(std::shared_ptr<const Graph> graph) {
  const Op* op = reduction_op(*graph);
  if (!op) return graph;
  const DType dtype = graph->inputs()[0].dtype();
  const Type scalar(dtype, {});
  if (graph->inputs()[0].type() != scalar || graph->outputs()[0].type() != scalar) return graph;
  auto shared = reduction_body(*op, dtype);
  return structurally_equal(*graph, *shared) ? shared : graph;
}

}  // namespace

Regions Lowering::closed_regions(const Operation& op, const Scope& outer, std::span<const Use> passed) {
  Regions regions;
  for (const Region& region : op.regions) regions.push_back(shared_body(closed(op, region, outer, passed)));
  return regions;
}

std::string_view full_name(std::string_view written) {
  if (written == "call") return "func.call";
  if (written == "return") return "func.return";
  return written;
}

bool is_known(std::string_view name) {
  return rule_named(name) || op_named(name) || find_chlo(name) || find_dynamic(name) || name == "func.func" ||
         name == "func.return" || name == "stablehlo.return";
}

Module lower(const Source& source, const SyntaxModule& module, const ParseLimits& limits) {
  return Lowering(source, module, limits).run();
}

}  // namespace weft::ir::text
