#include <weft/ir/text/lower.h>

#include <algorithm>
#include <functional>

#include <weft/ir/ops.h>
#include <weft/ir/text/chlo.h>
#include <weft/ir/text/expand.h>
#include <weft/ir/text/fields.h>
#include <weft/ir/text/location.h>

namespace weft::ir::text {

namespace {

using Values = std::vector<Value>;
using Scope = std::unordered_map<Use, Value, UseHash>;
using Regions = std::vector<std::shared_ptr<const Graph>>;

// The op of our table with this name, dialect included; parameters are arguments in text.
const Op* op_named(std::string_view name) {
  const auto dot = name.find('.');
  if (dot == name.npos) return nullptr;
  const Op* op = find_op(name.substr(dot + 1));
  return op && op != &ops::parameter && op->dialect == name.substr(0, dot) ? op : nullptr;
}

std::string_view string_attribute(const Operation& op, std::string_view name) {
  const Attribute* attribute = find(op.attributes, name);
  return attribute ? attribute->text : std::string_view();
}

// A constant that is cheap to have once more inside a region.
bool is_small_constant(Value v) {
  return v.node->op == &ops::constant && v.node->attributes<ConstantAttributes>().value.bytes.size() <= sizeof(double);
}

class Lowering {
 public:
  Lowering(const Source& source, const SyntaxModule& module, const ParseLimits& limits)
      : source_(source), module_(module), limits_(limits), locations_(source, module, limits.depth) {
    for (const Function& f : module.functions)
      if (!functions_.emplace(f.name, &f).second) source.fail(f.at, concat("func.func @", f.name, ": defined twice"));
  }

  Module run();

  // How an operation that is not simply an op of the table becomes values.
  Values call(Graph& graph, const Scope& scope, const Operation& op);
  Values while_(Graph& graph, const Scope& scope, const Operation& op);
  Values branches(Graph& graph, const Scope& scope, const Operation& op);
  Values composite(Graph& graph, const Scope& scope, const Operation& op);
  Values custom_call(Graph& graph, const Scope& scope, const Operation& op);
  Values expect_const(Graph& graph, const Scope& scope, const Operation& op);
  Values forward(Graph& graph, const Scope& scope, const Operation& op);
  Values top_k(Graph& graph, const Scope& scope, const Operation& op);
  Values bitcast_convert(Graph& graph, const Scope& scope, const Operation& op);
  Values contraction(Graph& graph, const Scope& scope, const Operation& op);

 private:
  [[noreturn]] void fail(const Operation& op, const std::string& message) const {
    source_.fail(op.at, concat(op.name, ": ", message));
  }

  Values chlo(const ChloFunction& function, const Scope& scope, const Operation& op);
  Values approx_top_k(const Scope& scope, const Operation& op);
  Values expanded(const Operation& op, const std::function<Values()>& expand) const;
  std::shared_ptr<Graph> function(const Function& function);
  const Function& called(const Operation& op, const Attribute& callee) const;
  const Function& called(const Operation& op, std::string_view attribute) const;
  Values body(Graph& graph, const Function& function, std::span<const Value> arguments);
  Values block(Graph& graph, const Region& region, Scope& scope, std::string_view terminator);
  void define(Scope& scope, const Operation& op, std::span<const Value> values) const;
  Value lookup(const Scope& scope, const Use& use) const;
  Values operands(const Scope& scope, const Operation& op) const;
  Values operation(Graph& graph, const Scope& scope, const Operation& op);
  Values append(Graph& graph, const Operation& op, const Op& kind, std::span<const Value> operands,
                std::span<const Type> types, const Regions& regions);
  // The region as a closed graph; `passed` become inputs after its arguments, other captures must be constants.
  std::shared_ptr<Graph> closed(const Operation& op, const Region& region, const Scope& outer,
                                std::span<const Use> passed);
  Regions closed_regions(const Operation& op, const Scope& outer, std::span<const Use> passed);

  const Source& source_;
  const SyntaxModule& module_;
  const ParseLimits& limits_;
  LocationReader locations_;
  std::unordered_map<std::string_view, const Function*> functions_;
  std::unordered_map<std::string_view, std::shared_ptr<const Graph>> decompositions_;
  std::vector<const Function*> calls_;  // being lowered
  std::int64_t operations_ = 0;
};

// ---------------------------------------------------------------------------------------------------------------------
// Operations with rules of their own

struct Rule {
  std::string_view name;
  Values (Lowering::*lower)(Graph& graph, const Scope& scope, const Operation& op);
};
constexpr Rule rules[] = {
    {"check.expect_almost_eq_const", &Lowering::expect_const},
    {"check.expect_eq_const", &Lowering::expect_const},
    {"chlo.top_k", &Lowering::top_k},
    {"func.call", &Lowering::call},
    {"sdy.sharding_constraint", &Lowering::forward},
    {"stablehlo.bitcast_convert", &Lowering::bitcast_convert},
    {"stablehlo.case", &Lowering::branches},
    {"stablehlo.composite", &Lowering::composite},
    {"stablehlo.convolution", &Lowering::contraction},
    {"stablehlo.custom_call", &Lowering::custom_call},
    {"stablehlo.dot_general", &Lowering::contraction},
    {"stablehlo.if", &Lowering::branches},
    {"stablehlo.while", &Lowering::while_},
};

const Rule* rule_named(std::string_view name) {
  for (const Rule& r : rules)
    if (r.name == name) return &r;
  return nullptr;
}

Values Lowering::call(Graph& graph, const Scope& scope, const Operation& op) {
  const Function& callee = called(op, "callee");
  const Values arguments = operands(scope, op);
  const Region& region = callee.body;
  bool fits = arguments.size() == region.arguments.size();
  for (std::size_t i = 0; fits && i < arguments.size(); ++i) fits = arguments[i].type() == region.arguments[i].type;
  if (!fits) fail(op, concat("the operands do not fit the arguments of @", callee.name));
  return body(graph, callee, arguments);
}

// What the regions use from outside is carried through the loop unchanged.
Values Lowering::while_(Graph& graph, const Scope& scope, const Operation& op) {
  std::vector<Use> passed;
  for (const Region& region : op.regions)
    for (const Use& use : region.captures)
      if (!is_small_constant(lookup(scope, use)) && std::ranges::find(passed, use) == passed.end())
        passed.push_back(use);
  Values inits = operands(scope, op);
  std::vector<Type> types = op.result_types;
  for (const Use& use : passed) {
    inits.push_back(lookup(scope, use));
    types.push_back(inits.back().type());
  }
  if (op.regions.size() != 2) fail(op, "expected two regions");
  const auto condition = closed(op, op.regions[0], scope, passed), loop_body = closed(op, op.regions[1], scope, passed);
  Values next(loop_body->outputs().begin(), loop_body->outputs().end());
  const std::span carried = loop_body->inputs();
  next.insert(next.end(), carried.end() - static_cast<std::ptrdiff_t>(passed.size()), carried.end());
  loop_body->set_outputs(std::move(next));
  Values results = append(graph, op, ops::while_, inits, types, {condition, loop_body});
  results.resize(results.size() - passed.size());
  return results;
}

Values Lowering::branches(Graph& graph, const Scope& scope, const Operation& op) {
  std::vector<Use> passed;
  for (const Region& region : op.regions)
    for (const Use& use : region.captures)
      if (std::ranges::find(passed, use) == passed.end()) passed.push_back(use);
  Values all = operands(scope, op);
  for (const Use& use : passed) all.push_back(lookup(scope, use));
  return append(graph, op, *op_named(op.name), all, op.result_types, closed_regions(op, scope, passed));
}

Values Lowering::composite(Graph& graph, const Scope& scope, const Operation& op) {
  const Function& callee = called(op, "decomposition");
  auto& decomposition = decompositions_[callee.name];
  if (!decomposition) decomposition = function(callee);
  // Lowering the function may have moved the entry.
  return append(graph, op, ops::composite, operands(scope, op), op.result_types, {decompositions_[callee.name]});
}

Values Lowering::custom_call(Graph& graph, const Scope& scope, const Operation& op) {
  const std::string_view target = string_attribute(op, "call_target_name");
  // How a value lies on devices does not change it.
  if (target == "Sharding" || target == "annotate_device_placement") return forward(graph, scope, op);
  if (target == "ApproxTopK") return approx_top_k(scope, op);
  const Op* ours = op_named(target);
  if (!ours || ours->dialect != "weft") ours = &ops::custom_call;
  return append(graph, op, *ours, operands(scope, op), op.result_types, closed_regions(op, scope, {}));
}

// check.expect_eq_const %x, dense<...> is check.expect_eq of %x and a constant.
Values Lowering::expect_const(Graph& graph, const Scope& scope, const Operation& op) {
  Values both = operands(scope, op);
  Operation constant = op;
  constant.name = "stablehlo.constant";
  both.push_back(append(graph, constant, ops::constant, {}, {}, {})[0]);
  Operation call = op;
  call.attributes = {{"call_target_name", {}}, {"has_side_effect", {}}};
  call.attributes[0].value.kind = Attribute::Kind::string;
  call.attributes[0].value.text = op.name.substr(0, op.name.rfind("_const"));
  return append(graph, call, ops::custom_call, both, {}, {});
}

Values Lowering::forward(Graph&, const Scope& scope, const Operation& op) {
  Values values = operands(scope, op);
  if (values.size() != 1 || op.result_types.size() != 1 || op.result_types[0] != values[0].type())
    fail(op, "expected one operand and a result of its type");
  return values;
}

// What stands for an operation that is a function of others: `expand` makes it.
Values Lowering::expanded(const Operation& op, const std::function<Values()>& expand) const {
  Values values;
  try {
    values = expand();
  } catch (const Error& wrong) {
    fail(op, wrong.what());
  }
  if (!std::ranges::equal(values, op.result_types, [](Value v, Type t) { return v.type() == t; }))
    fail(op, concat("gives ", values[0].type(), values.size() > 1 ? " and more" : "", ", other types are written"));
  return values;
}

Values Lowering::top_k(Graph&, const Scope& scope, const Operation& op) {
  const Values values = operands(scope, op);
  const Attribute* k = find(op.attributes, "k");
  if (values.size() != 1 || !k || k->kind != Attribute::Kind::integer)
    fail(op, "expected one operand and k = a number");
  return expanded(op, [&] { return chlo_top_k(values[0], k->integer); });
}

// JAX's approx_max_k and approx_min_k: values, positions, and what both begin with; the comparator is a function of the module.
Values Lowering::approx_top_k(const Scope& scope, const Operation& op) {
  const Attribute* config = find(op.attributes, "mhlo.backend_config");
  const Attribute* functions = find(op.attributes, "called_computations");
  const auto field = [&](std::string_view name) {
    const Attribute* value = config ? find(config->fields, name) : nullptr;
    if (!value || value->kind != Attribute::Kind::integer) fail(op, concat("expected mhlo.backend_config with ", name));
    return value->integer;
  };
  Values values = operands(scope, op);
  if (values.empty() || values.size() % 2 || !functions || functions->items.size() != 1)
    fail(op, "expected operands, as many initial values, and one called computation");
  values.resize(values.size() / 2);
  const auto before = function(called(op, functions->items[0]));
  return expanded(op, [&] { return first_k(values, field("reduction_dim"), field("top_k"), before); });
}

Values Lowering::bitcast_convert(Graph& graph, const Scope& scope, const Operation& op) {
  const Values values = operands(scope, op);
  const bool same_width = values.size() != 1 || op.result_types.size() != 1 ||
                          byte_size(values[0].dtype()) == byte_size(op.result_types[0].dtype());
  if (same_width) return append(graph, op, ops::bitcast_convert, values, op.result_types, {});
  return expanded(op, [&] { return Values{bitcast_widths(values[0], op.result_types[0])}; });
}

// Operands of several dtypes, and results that are no wider kind of them, are computed in a dtype that holds all.
Values Lowering::contraction(Graph& graph, const Scope& scope, const Operation& op) {
  Values values = operands(scope, op);
  const Op& kind = *op_named(op.name);
  if (values.size() != 2 || op.result_types.size() != 1) return append(graph, op, kind, values, op.result_types, {});
  const Type result = op.result_types[0];
  const DType both = promote(values[0].dtype(), values[1].dtype()), wide = promote(both, result.dtype());
  const bool one_class = is_float(both) == is_float(wide) && is_signed_integer(both) == is_signed_integer(wide);
  const bool is_direct = values[0].dtype() == values[1].dtype() && wide == result.dtype() && one_class;
  if (is_direct) return append(graph, op, kind, values, op.result_types, {});
  for (Value& v : values) v = convert(v, wide);
  const Type types[] = {Type(wide, result.dims())};
  return {convert(append(graph, op, kind, values, types, {})[0], result.dtype())};
}

Values Lowering::chlo(const ChloFunction& function, const Scope& scope, const Operation& op) {
  const Values values = operands(scope, op);
  if (values.size() != function.arity) fail(op, concat("takes ", function.arity, " operands, got ", values.size()));
  for (const Value v : values)
    if (v.type() != values[0].type())
      fail(op, concat("operands must be of one type, got ", values[0].type(), " and ", v.type()));
  return expanded(op, [&] { return Values{function.expand(values)}; });
}

// ---------------------------------------------------------------------------------------------------------------------

Module Lowering::run() {
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

std::shared_ptr<Graph> Lowering::function(const Function& function) {
  auto graph = std::make_shared<Graph>();
  graph->name = unescape(function.name);
  Values arguments;
  for (const Argument& a : function.body.arguments) arguments.push_back(graph->add_input(a.type));
  Values results = body(*graph, function, arguments);
  graph->set_outputs(std::move(results));
  graph->set_location({});
  return graph;
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
  if (const Rule* rule = rule_named(op.name)) return (this->*rule->lower)(graph, scope, op);
  if (const ChloFunction* known = find_chlo(op.name)) return chlo(*known, scope, op);
  const Op* kind = op_named(op.name);
  if (!kind) source_.fail_unsupported(op.at, concat(op.name, ": unsupported here"), op.name);
  return append(graph, op, *kind, operands(scope, op), op.result_types, closed_regions(op, scope, {}));
}

Values Lowering::append(Graph& graph, const Operation& op, const Op& kind, std::span<const Value> operands,
                        std::span<const Type> types, const Regions& regions) {
  Arena scratch;
  const void* attributes = nullptr;
  if (kind.attributes) {
    AttributeReader reader(source_, module_, op, scratch);
    attributes = kind.attributes->read(scratch, reader);
  }
  try {
    Node& node = graph.append(kind, operands, attributes, types, regions);
    Values results;
    for (std::uint32_t i = 0; i < node.types.size(); ++i) results.push_back(node.result(i));
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
  return graph;
}

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

Regions Lowering::closed_regions(const Operation& op, const Scope& outer, std::span<const Use> passed) {
  Regions regions;
  for (const Region& region : op.regions) regions.push_back(shared_body(closed(op, region, outer, passed)));
  return regions;
}

}  // namespace

std::string_view full_name(std::string_view written) {
  if (written == "call") return "func.call";
  if (written == "return") return "func.return";
  return written;
}

bool is_known(std::string_view name) {
  return rule_named(name) || op_named(name) || find_chlo(name) || name == "func.func" || name == "func.return" ||
         name == "stablehlo.return";
}

Module lower(const Source& source, const SyntaxModule& module, const ParseLimits& limits) {
  return Lowering(source, module, limits).run();
}

}  // namespace weft::ir::text
