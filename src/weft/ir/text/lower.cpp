#include <weft/ir/text/lower.h>

#include <algorithm>
#include <charconv>

#include <weft/base/size.h>
#include <weft/ir/boundary.h>
#include <weft/ir/ops.h>
#include <weft/ir/several_devices.h>
#include <weft/ir/text/dropped_attributes.h>
#include <weft/ir/text/fields.h>
#include <weft/ir/text/lowering.h>

namespace weft::ir::text {

const Op* op_named(std::string_view name) {
  const auto dot = name.find('.');
  if (dot == name.npos) return nullptr;
  const Op* op = find_op(name.substr(dot + 1));
  return op && op != &ops::parameter && op->call_target.empty() && op->dialect == name.substr(0, dot) ? op : nullptr;
}

bool is_small_constant(const WrittenValue& v) {
  const auto is_small = [](Value part) {
    return part.node->op == &ops::constant &&
           part.node->attributes<ConstantAttributes>().value.bytes.size() <= sizeof(double);
  };
  return is_small(v.re) && (!v.is_complex() || is_small(v.im));
}

Module Lowering::run(std::vector<std::string>* refused) {
  ModuleAnnotations said{unescape(module_.name), verbatim_.annotations(module_.attributes), {}};
  for (const NamedAttribute& mesh : module_.meshes) {
    std::string text = verbatim_.text(mesh.value);
    if (text.starts_with("#sdy.mesh")) text.erase(0, std::string_view("#sdy.mesh").size());  // as in the generic form
    if (!text.starts_with('<')) source_.fail(mesh.value.at, concat("sdy.mesh: expected a mesh, got ", text));
    said.meshes.push_back({unescape(mesh.name), std::move(text)});
  }
  if (!said.name.empty() || !said.attributes.empty() || !said.meshes.empty())
    annotations_ = std::make_shared<ModuleAnnotations>(std::move(said));
  Module result;
  for (const Function& f : module_.functions) {
    if (f.is_private) continue;
    try {
      result.functions.push_back(function(f));
    } catch (const Error& wrong) {
      if (!refused) throw;
      refused->push_back(concat('@', f.name, ": ", wrong.what()));
      calls_.clear();
      constants_.clear();
      node_annotations_.clear();
    }
  }
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
  auto graph = this->function(function);  // may lower other functions on the way
  return callees_.emplace(function.name, std::move(graph)).first->second;
}

std::shared_ptr<Graph> Lowering::function(const Function& function) {
  auto graph = std::make_shared<Graph>();
  graph->name = unescape(function.name);
  WrittenValues arguments;
  for (const Argument& a : function.body.arguments) {
    arguments.push_back(add_input(*graph, a.type));
    // JAX calls an argument loc("params['w']").
    const Location location = locations_.of(a);
    graph->input_names.resize(graph->inputs().size(), *location.file ? "" : location.scope);
  }
  graph->set_outputs(flattened(body(*graph, function, arguments)));
  graph->set_location({});
  annotate(*graph, function);
  return graph;
}

WrittenValue Lowering::add_input(Graph& graph, WrittenType type) const {
  const Value re = graph.add_input(type.part);
  return {re, type.is_complex ? graph.add_input(type.part) : Value()};
}

namespace {

// Translates the result number in tf.aliasing_output = N : i32 to the number of the corresponding part of that result.
Annotation renumbered(const Annotation& said, std::span<const WrittenType> results, bool imaginary) {
  std::size_t number = 0;
  const char* const end = said.value.data() + said.value.size();
  const auto [rest, error] = std::from_chars(said.value.data(), end, number);
  if (said.name != "tf.aliasing_output" || error != std::errc() || number >= results.size()) return said;
  const bool is_second = imaginary && results[number].is_complex;
  return {said.name,
          concat(flattened(results.first(number)).size() + (is_second ? 1 : 0), std::string_view(rest, end))};
}

// Appends the annotations of a value once for each of its parts.
void append_annotations(std::vector<Annotations>& to, Annotations said, WrittenType type,
                        std::span<const WrittenType> results) {
  for (const bool imaginary : {false, true}) {
    if (imaginary && !type.is_complex) continue;
    Annotations& part = to.emplace_back();
    for (const Annotation& a : said) part.push_back(renumbered(a, results, imaginary));
    if (type.is_complex) part.push_back(complex_part(imaginary));
  }
}

}  // namespace

void Lowering::annotate(Graph& graph, const Function& function) {
  FunctionAnnotations said;
  said.module = annotations_;
  said.attributes = verbatim_.annotations(function.attributes);
  for (const Argument& a : function.body.arguments)
    append_annotations(said.arguments, verbatim_.annotations(a.attributes), a.type, function.results);
  declare_partial_sums(graph, said.arguments);
  for (std::size_t i = 0; i < function.results.size(); ++i) {
    const auto& attributes = function.result_attributes;
    append_annotations(said.results, i < attributes.size() ? verbatim_.annotations(attributes[i]) : Annotations(),
                       function.results[i], {});
  }
  if (auto nodes = node_annotations_.extract(&graph)) said.nodes = std::move(nodes.mapped());
  const auto any = [](const auto& list) { return std::ranges::any_of(list, [](const auto& a) { return !a.empty(); }); };
  if (said.module || !said.attributes.empty() || any(said.arguments) || any(said.results) || !said.nodes.empty())
    graph.annotations = std::make_shared<FunctionAnnotations>(std::move(said));
}

WrittenValues Lowering::body(Graph& graph, const Function& function, std::span<const WrittenValue> arguments) {
  if (function.refusal) throw UnsupportedError(*function.refusal);
  if (!function.has_body) source_.fail(function.at, concat("func.func @", function.name, ": has no body"));
  if (std::ranges::find(calls_, &function) != calls_.end())
    source_.fail(function.at, concat("func.func @", function.name, ": calls itself"));
  if (std::ssize(calls_) >= limits_.depth)
    source_.fail(function.at, concat("more than ", limits_.depth, " calls in each other"));
  calls_.push_back(&function);
  Scope scope;
  scope.reserve(arguments.size() + function.body.operations.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& a = function.body.arguments[i];
    if (!scope.add({a.name}, arguments[i])) source_.fail(a.at, concat(a.name, " is defined twice"));
  }
  WrittenValues results = block(graph, function.body, scope, "func.return");
  calls_.pop_back();
  const bool fits = std::ranges::equal(results, function.results, {}, &WrittenValue::type);
  if (!fits)
    source_.fail(function.at,
                 concat("func.func @", function.name, ": the returned types differ from the result types"));
  return results;
}

WrittenValues Lowering::block(Graph& graph, const Region& region, Scope& scope, std::string_view terminator) {
  for (const Operation& op : region.operations) {
    if (++operations_ > limits_.operations)
      fail(op, concat("more than ", limits_.operations, " operations, calls included"));
    // A comparator that is a function ends with the terminator of the region that it replaces.
    if (op.name == terminator || (op.name == "stablehlo.return" && terminator == "func.return") ||
        (op.name == "sdy.return" && terminator == "stablehlo.return")) {
      if (&op != &region.operations.back()) fail(op, "more operations follow");
      return written_operands(scope, op);
    }
    if (const KnownName& name = known(op.name); is_plain(op, name))
      plain(graph, scope, op, name);
    else
      define(scope, op, operation(graph, scope, op));
  }
  source_.fail(region.at, concat("expected the region to end with ", terminator));
}

void Lowering::define(Scope& scope, const Operation& op, std::span<const WrittenValue> values) const {
  std::size_t at = 0;
  for (const Results& results : op.results)
    for (std::uint32_t i = 0; i < results.count; ++i, ++at) {
      if (at == values.size()) fail(op, concat("has ", values.size(), " results, but more are named"));
      if (!scope.add({results.name, i}, values[at])) fail(op, concat(results.name, " is defined twice"));
    }
  if (at != 0 && at != values.size()) fail(op, concat("has ", values.size(), " results, but ", at, " are named"));
  if (op.result_types.size() != values.size())
    fail(op, concat("has ", values.size(), " results, but the number of result types is ", op.result_types.size()));
}

const WrittenValue& Lowering::lookup(const Scope& scope, const Use& use) const {
  const WrittenValue* const found = scope.find(use);
  if (!found) source_.fail(use.at, concat(use.name, use.index ? concat('#', use.index) : "", " is not defined"));
  return *found;
}

void Lowering::append_parts(Values& values, const Scope& scope, std::span<const Use> uses) const {
  for (const Use& use : uses) {
    const WrittenValue& v = lookup(scope, use);
    values.push_back(v.re);
    if (v.is_complex()) values.push_back(v.im);
  }
}

WrittenValues Lowering::written_operands(const Scope& scope, const Operation& op) const {
  WrittenValues values;
  values.reserve(op.operands.size());
  for (std::size_t i = 0; i < op.operands.size(); ++i) values.push_back(operand(scope, op, i));
  return values;
}

const WrittenValue& Lowering::operand(const Scope& scope, const Operation& op, std::size_t i) const {
  const WrittenValue& value = lookup(scope, op.operands[i]);
  if (op.operand_types.empty()) return value;
  if (op.operand_types.size() != op.operands.size())
    fail(op, concat("has ", op.operands.size(), " operands and ", op.operand_types.size(), " types for them"));
  if (value.type() != op.operand_types[i])
    source_.fail(op.operands[i].at,
                 concat(op.name, ": ", op.operands[i].name, " is ", value.type(), ", not ", op.operand_types[i]));
  return value;
}

bool Lowering::is_plain(const Operation& op, const KnownName& name) const {
  const bool is_of_table = name.op && !name.dynamic && !name.rule && !name.chlo;
  return is_of_table && op.regions.empty() && !module_.has_complex &&
         std::ranges::none_of(op.attributes, [](const auto& a) { return a.name.find('.') != a.name.npos; });
}

void Lowering::plain(Graph& graph, Scope& scope, const Operation& op, const KnownName& name) {
  check_dropped_attributes(name.dropped, source_, module_, op);
  graph.set_location(locations_.of(op));
  operands_.clear();
  for (std::size_t i = 0; i < op.operands.size(); ++i) operands_.push_back(operand(scope, op, i).re);
  result_types_.clear();
  for (const WrittenType type : op.result_types) result_types_.push_back(type.part);
  Node& node = append_node(graph, op, *name.op, operands_, result_types_, {});
  if (node.types.size() == 1) {
    const WrittenValue result{node.result()};
    define(scope, op, {&result, 1});
    return;
  }
  WrittenValues results;
  for (std::uint32_t i = 0; i < node.types.size(); ++i) results.push_back({node.result(i)});
  define(scope, op, results);
}

Values Lowering::operands(const Scope& scope, const Operation& op) const {
  return flattened(written_operands(scope, op));
}

WrittenValues Lowering::operation(Graph& graph, const Scope& scope, const Operation& op) {
  const KnownName& name = known(op.name);
  check_dropped_attributes(name.dropped, source_, module_, op);
  graph.set_location(locations_.of(op));
  if (name.dynamic) return dynamic(graph, scope, op, *name.dynamic);
  if (!op.regions.empty()) {
    if (auto results = with_promoted_operands(graph, scope, op)) return *results;
    if (auto results = with_captured_input(graph, scope, op)) return *results;
  }
  if (module_.has_complex && is_complex(scope, op)) return grouped_results(op, complex_operation(graph, scope, op));
  const Values values = real_operation(graph, scope, op);
  WrittenValues results;
  results.reserve(values.size());
  for (const Value v : values) results.push_back({v});
  return results;
}

WrittenValues Lowering::grouped_results(const Operation& op, std::span<const Value> values) const {
  try {
    return legalize::grouped(values, op.result_types);
  } catch (const Error& wrong) {
    fail(op, wrong.what());
  }
}

const Lowering::KnownName& Lowering::known(std::string_view name) {
  RecentName& recent = recent_names_[mix(0, reinterpret_cast<std::uintptr_t>(name.data())) % recent_names_.size()];
  if (recent.known && recent.name.data() == name.data() && recent.name.size() == name.size()) return *recent.known;
  auto found = known_names_.find(name);
  if (found == known_names_.end()) {
    const KnownName looked_up{legalize::find_dynamic(name), rule_named(name), legalize::find_chlo(name),
                              legalize::find_complex(name), op_named(name),   dropped_attributes_of(name)};
    found = known_names_.emplace(name, looked_up).first;
  }
  recent = {name, &found->second};
  return found->second;
}

Values Lowering::real_operation(Graph& graph, const Scope& scope, const Operation& op) {
  const KnownName& name = known(op.name);
  if (name.rule) return (this->*name.rule)(graph, scope, op);
  if (name.chlo) return chlo(*name.chlo, scope, op);
  if (name.complex && !name.op) return complex_function(*name.complex, scope, op);
  if (!name.op) source_.fail_unsupported(op.at, concat(op.name, ": unsupported here"), op.name);
  return append(graph, op, *name.op, operands(scope, op), flattened(op.result_types), closed_regions(op, scope, {}));
}

void Lowering::fail_at(const Operation& op, const Op& kind, const Error& wrong) const {
  const std::string_view message = wrong.what();  // "add: operands must...", without the dialect
  const bool is_named = message.starts_with(concat(kind.name, ": "));
  source_.fail(op.at, is_named ? concat(op.name, message.substr(kind.name.size())) : std::string(message));
}

Node& Lowering::append_node(Graph& graph, const Operation& op, const Op& kind, std::span<const Value> operands,
                            std::span<const Type> types, const Regions& regions, const void* given_attributes) {
  const void* attributes = given_attributes;
  if (kind.attributes && !attributes) {
    scratch_.clear();
    AttributeReader reader(source_, module_, op, scratch_);
    attributes = kind.attributes->read(scratch_, reader);
  }
  try {
    if (kind.has_sizes())
      for (const std::int64_t number : kind.attributes->sizes(attributes))
        require(Size(number).is_constant(), kind.name, ": a number is out of range: ", number);
    return graph.append(kind, operands, attributes, types, regions);
  } catch (const Error& wrong) {
    fail_at(op, kind, wrong);
  }
}

Values Lowering::append(Graph& graph, const Operation& op, const Op& kind, std::span<const Value> operands,
                        std::span<const Type> types, const Regions& regions, const void* given_attributes) {
  Node& node = append_node(graph, op, kind, operands, types, regions, given_attributes);
  Values results;
  results.reserve(node.types.size());
  for (std::uint32_t i = 0; i < node.types.size(); ++i) results.push_back(node.result(i));
  const Attribute* sharding = find(op.attributes, "sdy.sharding");
  if (const std::string device = sharding ? single_device_of(*sharding) : ""; !device.empty()) {
    try {
      for (Value& result : results)
        if (result.dtype() != DType::token) result = reshard(result, device);
    } catch (const Error& wrong) {
      fail_at(op, kind, wrong);
    }
  } else if (Annotations said = verbatim_.annotations(op.attributes); !said.empty()) {
    node_annotations_[&graph][node.id] = std::move(said);
  }
  return results;
}

// A comparator of sort takes the left and the right element of each operand as a pair. A complex operand thus has one pair for each part.
WrittenValues Lowering::add_arguments(Graph& graph, const Operation& op, const Region& region) const {
  const std::span<const Argument> all = region.arguments;
  const bool in_pairs = op_named(op.name) == &ops::sort && all.size() % 2 == 0;
  WrittenValues values;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (in_pairs && all[i].type.is_complex && i + 1 < all.size() && all[i + 1].type == all[i].type) {
      const Type part = all[i].type.part;
      WrittenValue left{graph.add_input(part)}, right{graph.add_input(part)};
      left.im = graph.add_input(part);
      right.im = graph.add_input(part);
      values.insert(values.end(), {left, right});
      ++i;
    } else {
      values.push_back(add_input(graph, all[i].type));
    }
  }
  return values;
}

std::optional<WrittenValue> Lowering::constant_behind(const WrittenValue& v) const {
  const auto find = [&](Value part) {
    if (!part || part.node->op == &ops::constant) return part;
    const auto known = constants_.find(part.node);
    return known == constants_.end() ? Value() : known->second;
  };
  const WrittenValue constant{find(v.re), find(v.im)};
  if (!constant.re || v.is_complex() != constant.is_complex()) return std::nullopt;
  return constant;
}

std::shared_ptr<Graph> Lowering::closed(const Operation& op, const Region& region, const Scope& outer,
                                        std::span<const Use> passed) {
  auto graph = std::make_shared<Graph>();
  Scope scope;
  const WrittenValues arguments = add_arguments(*graph, op, region);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& a = region.arguments[i];
    if (!scope.add({a.name, a.index}, arguments[i])) source_.fail(a.at, concat(a.name, " is defined twice"));
  }
  for (const Use& use : passed) {
    const WrittenValue value = lookup(outer, use), input = add_input(*graph, value.type());
    scope.add(use, input);
    if (const auto constant = constant_behind(value)) {
      constants_[input.re.node] = constant->re;
      if (input.is_complex()) constants_[input.im.node] = constant->im;
    }
  }
  for (const Use& use : region.captures) {
    if (scope.contains(use)) continue;
    const auto constant = constant_behind(lookup(outer, use));
    if (!constant)
      source_.fail(use.at, concat(op.name, ": the region uses ", use.name,
                                  " from outside; the region of this operation may use only constants from outside"));
    const auto copy = [&](Value part) { return graph->append_copy(*part.node, {}).result(); };
    const Value re = copy(constant->re);
    scope.add(use, WrittenValue{re, constant->is_complex() ? copy(constant->im) : Value()});
  }
  graph->set_outputs(flattened(block(*graph, region, scope, "stablehlo.return")));
  for (const Value input : graph->inputs()) constants_.erase(input.node);
  graph->set_location({});
  if (auto nodes = node_annotations_.extract(graph.get()))
    graph->annotations = std::make_shared<FunctionAnnotations>(FunctionAnnotations{.nodes = std::move(nodes.mapped())});
  return graph;
}

Regions Lowering::closed_regions(const Operation& op, const Scope& outer, std::span<const Use> passed) {
  Regions regions;
  for (const Region& region : op.regions) regions.push_back(legalize::shared_body(closed(op, region, outer, passed)));
  return regions;
}

std::string_view full_name(std::string_view written) {
  if (written == "call") return "func.call";
  if (written == "return") return "func.return";
  return written;
}

void require_known(const Source& source, std::size_t at, std::string_view name, const std::string& quoted) {
  const bool is_known = rule_named(name) || op_named(name) || legalize::is_function(name) || complex_rule_named(name) ||
                        name == "func.func" || name == "func.return" || name == "stablehlo.return" ||
                        name == "sdy.return";
  if (is_known) return;
  source.fail_unsupported(at,
                          is_operation_of_several_devices(name) ? several_devices_message(quoted)
                                                                : concat(quoted, ": unsupported operation"),
                          name);
}

Module lower(const Source& source, const SyntaxModule& module, const ParseLimits& limits,
             std::vector<std::string>* refused) {
  return Lowering(source, module, limits).run(refused);
}

}  // namespace weft::ir::text
