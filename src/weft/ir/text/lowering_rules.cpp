#include <algorithm>
#include <charconv>

#include <system_error>

#include <weft/ir/boundary.h>
#include <weft/ir/num_bits.h>
#include <weft/ir/ops.h>
#include <weft/ir/several_devices.h>
#include <weft/ir/text/fields.h>
#include <weft/ir/text/lowering.h>

namespace weft::ir::text {

namespace {

std::string_view string_attribute(const Operation& op, std::string_view name) {
  const Attribute* attribute = find(op.attributes, name);
  return attribute ? attribute->text : std::string_view();
}

struct NamedRule {
  std::string_view name;
  LoweringRule lower;
};
constexpr NamedRule lowering_rules[] = {
    {"check.expect_almost_eq_const", &Lowering::expect_const},
    {"check.expect_almost_eq", &Lowering::expect},
    {"check.expect_close", &Lowering::expect},
    {"check.expect_eq", &Lowering::expect},
    {"check.expect_eq_const", &Lowering::expect_const},
    {"chlo.scan", &Lowering::scan},
    {"chlo.top_k", &Lowering::top_k},
    {"func.call", &Lowering::call},
    {"interpreter.run_parallel", &Lowering::run_parallel},
    {"sdy.all_gather", &Lowering::sharding_change},
    {"sdy.all_reduce", &Lowering::sharding_change},
    {"sdy.all_slice", &Lowering::sharding_change},
    {"sdy.all_to_all", &Lowering::sharding_change},
    {"sdy.collective_permute", &Lowering::sharding_change},
    {"sdy.constant", &Lowering::placed_constant},
    {"sdy.manual_computation", &Lowering::manual_computation},
    {"sdy.reduce_scatter", &Lowering::sharding_change},
    {"sdy.reshard", &Lowering::sharding},
    {"sdy.sharding_constraint", &Lowering::sharding},
    {"sdy.sharding_group", &Lowering::sharding_group},
    {"stablehlo.async_done", &Lowering::async_done},
    {"stablehlo.async_start", &Lowering::async_start},
    {"stablehlo.batch_norm_grad", &Lowering::batch_norm},
    {"stablehlo.batch_norm_inference", &Lowering::batch_norm},
    {"stablehlo.batch_norm_training", &Lowering::batch_norm},
    {"stablehlo.bitcast_convert", &Lowering::bitcast_convert},
    {"stablehlo.broadcast", &Lowering::deprecated},
    {"stablehlo.case", &Lowering::branches},
    {"stablehlo.composite", &Lowering::composite},
    {"stablehlo.convolution", &Lowering::contraction},
    {"stablehlo.custom_call", &Lowering::custom_call},
    {"stablehlo.dot", &Lowering::deprecated},
    {"stablehlo.dot_general", &Lowering::contraction},
    {"stablehlo.einsum", &Lowering::deprecated},
    {"stablehlo.get_dimension_size", &Lowering::dimension_size},
    {"stablehlo.if", &Lowering::branches},
    {"stablehlo.map", &Lowering::map},
    {"stablehlo.torch_index_select", &Lowering::deprecated},
    {"stablehlo.unary_einsum", &Lowering::deprecated},
    {"stablehlo.while", &Lowering::while_},
};

}  // namespace

LoweringRule rule_named(std::string_view name) {
  const auto* found = std::ranges::find(lowering_rules, name, &NamedRule::name);
  return found == std::end(lowering_rules) ? nullptr : found->lower;
}

Values Lowering::call(Graph& graph, const Scope& scope, const Operation& op) {
  const Function& callee = called(op, "callee");
  const WrittenValues arguments = in_parts_of(callee, written_operands(scope, op));
  if (!std::ranges::equal(arguments, callee.body.arguments, {}, &WrittenValue::type, &Argument::type))
    fail(op, concat("the operands do not fit the arguments of @", callee.name));
  const auto are_parts = [](const auto& attributes) { return find(attributes, complex_part(false).name) != nullptr; };
  const bool fits = std::ranges::any_of(callee.result_attributes, are_parts)
                        ? flattened(op.result_types) == flattened(callee.results)
                        : std::ranges::equal(op.result_types, callee.results);
  if (!fits) fail(op, concat("the result types do not fit those of @", callee.name));
  return flattened(body(graph, callee, arguments));
}

// Weft prints a complex argument of a function as two, so a call may give it as one (ir/boundary.h).
WrittenValues Lowering::in_parts_of(const Function& callee, const WrittenValues& arguments) {
  WrittenValues parts;
  for (const WrittenValue& argument : arguments) {
    const bool is_two = argument.type().is_complex && parts.size() < callee.body.arguments.size() &&
                        find(callee.body.arguments[parts.size()].attributes, complex_part(false).name);
    if (!is_two) {
      parts.push_back(argument);
      continue;
    }
    for (const Value part : flattened(WrittenValues{argument})) parts.push_back({part, {}});
  }
  return parts;
}

// Values that the regions use from outside are carried through the loop unchanged.
Values Lowering::while_(Graph& graph, const Scope& scope, const Operation& op) {
  const std::vector<Use> passed = captures(scope, op);
  Values inits = operands(scope, op);
  std::vector<Type> types = flattened(op.result_types);
  const std::size_t carried_count = inits.size();
  append_parts(inits, scope, passed);
  for (const Value v : std::span(inits).subspan(carried_count)) types.push_back(v.type());
  const std::ptrdiff_t passed_count = inits.size() - carried_count;
  if (op.regions.size() != 2) fail(op, "expected two regions");
  const auto condition = closed(op, op.regions[0], scope, passed), loop_body = closed(op, op.regions[1], scope, passed);
  Values next(loop_body->outputs().begin(), loop_body->outputs().end());
  const std::span carried = loop_body->inputs();
  next.insert(next.end(), carried.end() - passed_count, carried.end());
  loop_body->set_outputs(std::move(next));
  Values results = append(graph, op, ops::while_, inits, types, {condition, loop_body});
  results.resize(carried_count);
  return results;
}

// A branch may use only one part of a complex number, or the imaginary part before the real one. The captures have the order in
// which reading the printed text finds them.
Values Lowering::branches(Graph& graph, const Scope& scope, const Operation& op) {
  if (op.operands.size() != 1) fail(op, concat("takes one operand, got ", op.operands.size()));
  for (const Region& region : op.regions)
    if (!region.arguments.empty()) source_.fail(region.at, concat(op.name, ": a branch takes no arguments"));
  std::vector<Use> passed;
  for (const Region& region : op.regions)
    for (const Use& use : region.captures)
      if (std::ranges::find(passed, use) == passed.end()) passed.push_back(use);
  Values captured, all = operands(scope, op);
  append_parts(captured, scope, passed);
  Regions regions = closed_regions(op, scope, passed);
  if (module_.has_complex) {
    const std::vector<std::size_t> used = legalize::used_inputs(regions);
    for (auto& region : regions) region = legalize::with_inputs(*region, used);
    Values of_used;
    for (const std::size_t i : used) of_used.push_back(captured[i]);
    captured = std::move(of_used);
  }
  all.insert(all.end(), captured.begin(), captured.end());
  return append(graph, op, *op_named(op.name), all, flattened(op.result_types), regions);
}

Values Lowering::composite(Graph& graph, const Scope& scope, const Operation& op) {
  // JAX writes functions of CHLO as composites of their names; those that weft has as an op need no decomposition.
  const Attribute* name = find(op.attributes, "name");
  const Op* kind = name && name->text.starts_with("chlo.") ? op_named(name->text) : nullptr;
  if (kind && std::ssize(op.operands) == kind->arity)
    return append(graph, op, *kind, operands(scope, op), flattened(op.result_types), {});
  return append(graph, op, ops::composite, operands(scope, op), flattened(op.result_types),
                {callee(called(op, "decomposition"))});
}

// programs = [[@a, @b], [@c, @d]], infeed = [@e]: one row of partitions per replica, and the programs that fill the infeed.
Values Lowering::run_parallel(Graph& graph, const Scope& scope, const Operation& op) {
  Regions regions;
  const auto add = [&](const Attribute& list) {
    if (list.kind != Attribute::Kind::list) fail(op, "expected a list of functions");
    for (const Attribute& item : list.items) {
      if (item.kind != Attribute::Kind::symbol) fail(op, "expected the name of a function");
      regions.push_back(callee(called(op, item)));
    }
  };
  if (const Attribute* infeed = find(op.attributes, "infeed")) {
    add(*infeed);
    if (regions.empty()) fail(op, "infeed must name a function where it is given");
  }
  RunParallelAttributes attributes{0, std::ssize(regions)};
  const Attribute* programs = find(op.attributes, "programs");
  if (!programs || programs->kind != Attribute::Kind::list) fail(op, "expected programs = [[@function]]");
  for (const Attribute& replica : programs->items) {
    add(replica);
    const auto partitions = std::ssize(replica.items);
    if (&replica != &programs->items[0] && partitions != attributes.partitions)
      fail(op, "every replica must have as many partitions");
    attributes.partitions = partitions;
  }
  return append(graph, op, ops::run_parallel, operands(scope, op), flattened(op.result_types), regions, &attributes);
}

std::string_view Lowering::call_target(const Operation& op) const {
  const std::string_view target = string_attribute(op, "call_target_name");
  if (is_call_of_several_devices(target))
    source_.fail_unsupported(op.at, several_devices_message(concat(op.name, " @", target)), target);
  return target;
}

namespace {

constexpr std::string_view mhlo = "mhlo.";

}  // namespace

// Before JAX wrote functions of CHLO as composites (up to 0.8), it called those of MHLO, XLA's own dialect, by these targets. Their
// attributes are in a dictionary.
std::optional<Values> Lowering::function_of_mhlo(Graph& graph, const Scope& scope, const Operation& op,
                                                 std::string_view target) {
  const std::string_view function = target.substr(mhlo.size());
  Operation changed = op;
  changed.name = function == "topk" ? "chlo.top_k" : intern(concat("chlo.", function));
  const Attribute* attributes = find(op.attributes, "mhlo.attributes");
  changed.attributes = attributes ? resolve(source_, module_, *attributes).fields : std::vector<NamedAttribute>();
  const Attribute* largest = find(changed.attributes, "largest");
  const KnownName& name = known(changed.name);
  const bool is_known = name.rule || name.chlo || name.op, is_smallest = largest && largest->integer == 0;
  return is_known && !is_smallest ? std::optional(real_operation(graph, scope, changed)) : std::nullopt;
}

Values Lowering::custom_call(Graph& graph, const Scope& scope, const Operation& op) {
  const std::string_view target = call_target(op);
  if (target == "ApproxTopK") return approx_top_k(scope, op);
  if (target.starts_with(mhlo))
    if (auto results = function_of_mhlo(graph, scope, op, target)) return *results;
  if (target == layout_constraint) return operands(scope, op);
  const Op* known = find_call(target);
  if (!known) return call_of_host(graph, scope, op, target);
  return append(graph, op, *known, operands(scope, op), flattened(op.result_types), closed_regions(op, scope, {}));
}

Operation Lowering::check_call(const Operation& op) const {
  Operation call = op;
  call.attributes = {{"call_target_name", {}}, {"has_side_effect", {}}};
  call.attributes[0].value.kind = Attribute::Kind::string;
  call.attributes[0].value.text = op.name.substr(0, op.name.rfind("_const"));
  return call;
}

// check.expect_eq_const %x, dense<...> is check.expect_eq of %x and a constant.
Values Lowering::expect_const(Graph& graph, const Scope& scope, const Operation& op) {
  Values both = operands(scope, op);
  Operation constant = op;
  constant.name = "stablehlo.constant";
  both.push_back(append(graph, constant, ops::constant, {}, {}, {})[0]);
  return append(graph, check_call(op), ops::custom_call, both, {}, {});
}

Values Lowering::expect(Graph& graph, const Scope& scope, const Operation& op) {
  return append(graph, check_call(op), ops::custom_call, operands(scope, op), {}, {});
}

// Returns the values that `expand` makes in place of an operation that consists of others.
Values Lowering::expanded(const Operation& op, const std::function<Values()>& expand) const {
  Values values;
  try {
    values = expand();
  } catch (const Error& wrong) {
    fail(op, wrong.what());
  }
  const std::vector<Type> written = flattened(op.result_types);
  if (values.size() != written.size())
    fail(op, concat("has ", values.size(), " results, but ", written.size(), " are declared"));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i].type() != written[i])
      fail(op, concat("has the result type ", values[i].type(), ", not ", written[i]));
  return values;
}

Values Lowering::top_k(Graph&, const Scope& scope, const Operation& op) {
  const Values values = operands(scope, op);
  if (values.size() != 1) fail(op, concat("expected one operand, got ", values.size()));
  const std::int64_t k = integer_attribute(op, "k");
  return expanded(op, [&] { return legalize::chlo_top_k(values[0], k); });
}

// The operands are the inputs, then the initial carries; operandSegmentSizes gives their numbers.
Values Lowering::scan(Graph& graph, const Scope& scope, const Operation& op) {
  const WrittenValues values = written_operands(scope, op);
  const Attribute* sizes = find(op.attributes, "operandSegmentSizes");
  const bool fits = sizes && sizes->kind == Attribute::Kind::integers && sizes->integers.size() == 2 &&
                    std::ranges::min(sizes->integers) >= 0 && op.regions.size() == 1 &&
                    sizes->integers[0] + sizes->integers[1] == std::ssize(values) &&
                    sizes->integers[1] <= std::ssize(op.result_types);
  if (!fits) fail(op, "expected inputs, as many results as carries or more, and one region");
  const auto count = static_cast<std::size_t>(sizes->integers[0]), carry_count = values.size() - count;
  const Values inputs = flattened(std::span(values).first(count)),
               carries = flattened(std::span(values).subspan(count));
  const std::span results(op.result_types);
  const std::vector<Type> outputs = flattened(results.first(results.size() - carry_count));
  const std::vector<Use> passed = captures(scope, op);
  Values captured;
  append_parts(captured, scope, passed);
  const Attribute* is_reverse = find(op.attributes, "is_reverse");
  const auto body = closed(op, op.regions[0], scope, passed);
  return expanded(op, [&] {
    return legalize::expand_scan(graph, {.inputs = inputs,
                                         .carries = carries,
                                         .captures = captured,
                                         .outputs = outputs,
                                         .dimension = integer_attribute(op, "dimension"),
                                         .is_reverse = is_reverse && is_reverse->integer != 0,
                                         .body = body});
  });
}

Values Lowering::batch_norm(Graph&, const Scope& scope, const Operation& op) {
  const Values v = operands(scope, op);
  const legalize::BatchNorm norm{.epsilon = number_attribute(op, "epsilon"),
                                 .feature_index = integer_attribute(op, "feature_index")};
  const bool trains = op.name == "stablehlo.batch_norm_training", infers = op.name == "stablehlo.batch_norm_inference";
  const std::size_t count = trains ? 3 : 5;
  if (v.size() != count) fail(op, concat("expected ", count, " operands, got ", v.size()));
  return expanded(op, [&] {
    if (trains) return legalize::batch_norm_training(v[0], v[1], v[2], norm);
    if (infers) return Values{legalize::batch_norm_inference(v[0], v[1], v[2], v[3], v[4], norm)};
    return legalize::batch_norm_grad(v[0], v[1], v[2], v[3], v[4], norm);
  });
}

Values Lowering::deprecated(Graph&, const Scope& scope, const Operation& op) {
  const WrittenValues v = written_operands(scope, op);
  const bool is_broadcast = op.name == "stablehlo.broadcast", is_dot = op.name == "stablehlo.dot",
             is_selection = op.name == "stablehlo.torch_index_select";
  const std::size_t count = is_broadcast || op.name == "stablehlo.unary_einsum" ? 1 : 2;
  if (v.size() != count) fail(op, concat("expected ", count, " operands, got ", v.size()));
  if (op.result_types.size() != 1) fail(op, "has one result");
  const DType dtype = op.result_types[0].part.dtype();
  Arena scratch;
  AttributeReader reader(source_, module_, op, scratch);
  Ints sizes;
  std::int64_t dimension = 0, batch_dimensions = 0;
  std::string_view equation;
  if (is_broadcast) {
    reader.integers("broadcast_sizes", sizes);
  } else if (is_selection) {
    reader.integer("dim", dimension);
    reader.integer("batch_dims", batch_dimensions);
    if (v[1].is_complex()) fail(op, "an index is no complex number");
  } else if (!is_dot) {
    reader.string("einsum_config", equation);
  }
  return expanded(op, [&] {
    const WrittenValue result = is_broadcast ? legalize::broadcast_in_front(v[0], sizes)
                                : is_dot     ? legalize::dot(v[0], v[1], dtype)
                                : is_selection
                                    ? legalize::torch_index_select(v[0], v[1].re, dimension, batch_dimensions)
                                    : legalize::einsum(v, equation, dtype);
    return flattened({{result}});
  });
}

Values Lowering::map(Graph& graph, const Scope& scope, const Operation& op) {
  const Values values = operands(scope, op);
  if (op.regions.size() != 1) fail(op, "expected one region");
  const auto body = closed(op, op.regions[0], scope, {});
  return expanded(op, [&] {
    const auto is_number = [](Value v) { return v.rank() == 0; };
    require(
        body->outputs().size() == 1 && is_number(body->outputs()[0]) && std::ranges::all_of(body->inputs(), is_number),
        "the body must take numbers of rank 0 and return one");
    return legalize::expand_map(graph, values, *body);
  });
}

Values Lowering::dimension_size(Graph& graph, const Scope& scope, const Operation& op) {
  const WrittenValues values = written_operands(scope, op);
  const std::int64_t dimension = integer_attribute(op, "dimension");
  if (values.size() != 1 || dimension < 0 || dimension >= values[0].re.rank())
    fail(op, concat("expected one operand with a dimension ", dimension));
  const double size = values[0].re.size(dimension);
  return expanded(op, [&] { return Values{constant(graph, Type(DType::i32, {}), size)}; });
}

std::int64_t Lowering::integer_attribute(const Operation& op, std::string_view name) const {
  const Attribute* found = find(op.attributes, name);
  if (!found || found->kind != Attribute::Kind::integer) fail(op, concat("expected ", name, " = a number"));
  return found->integer;
}

double Lowering::number_attribute(const Operation& op, std::string_view name) const {
  const Attribute* found = find(op.attributes, name);
  double number = 0;
  const std::string_view text = found && found->kind == Attribute::Kind::real ? found->text : std::string_view();
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc())
    fail(op, concat("expected ", name, " = a number"));
  return number;
}

std::vector<Use> Lowering::captures(const Scope& scope, const Operation& op) const {
  std::vector<Use> passed;
  for (const Region& region : op.regions)
    for (const Use& use : region.captures)
      if (!is_small_constant(lookup(scope, use)) && std::ranges::find(passed, use) == passed.end())
        passed.push_back(use);
  return passed;
}

// Returns the equivalent static operation, with the shape operands turned into attributes.
WrittenValues Lowering::dynamic(Graph& graph, const Scope& scope, const Operation& op, const DynamicOperation& what) {
  const WrittenValues values = written_operands(scope, op);
  if (values.size() != what.operands + what.attributes.size() || op.result_types.size() != 1)
    fail(op, concat("takes ", what.operands + what.attributes.size(), " operands and gives one result"));
  Operation fixed = op;
  for (std::size_t i = 0; i < what.attributes.size(); ++i) {
    const std::size_t from = what.operands + i;
    const int rank = what.attributes[i] == "padding" ? 2 : 1;
    if (values[from].re.rank() != rank)
      source_.fail(op.operands[from].at, concat(op.name, ": ", op.operands[from].name, " must be of rank ", rank,
                                                ", got ", values[from].type()));
    const auto integers = values[from].is_complex() ? std::nullopt : legalize::constant_integers(values[from].re);
    const bool is_shape = what.attributes[i].empty();
    if (!integers && !is_shape)
      source_.fail_unsupported(op.operands[from].at, concat(op.name, ": ", what.attributes[i], " is not constant"),
                               op.name);
    if (integers && is_shape && !std::ranges::equal(*integers, op.result_types[0].part.dims(), {}, {}, &Dim::value))
      fail(op, concat("the requested shape is not that of ", op.result_types[0]));
    if (!is_shape) {
      Attribute attribute;
      attribute.kind = Attribute::Kind::integers;
      attribute.at = op.operands[from].at;
      attribute.integers = *integers;
      fixed.attributes.push_back({what.attributes[i], std::move(attribute)});
    }
  }
  fixed.name = what.becomes;
  fixed.operands.resize(what.operands);
  if (!fixed.operand_types.empty()) fixed.operand_types.resize(what.operands);
  return operation(graph, scope, fixed);
}

// JAX's approx_max_k and approx_min_k. The operands are values, positions, and the initial value of each; the comparator is a
// function of the module.
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
  // Without aggregate_to_topk there are more results than asked for; the first ones of as many are the exact ones.
  const std::int64_t dim = field("reduction_dim");
  const Type result = op.result_types.empty() ? Type() : op.result_types[0].part;
  const bool is_known = dim >= 0 && result && dim < result.rank() && result.dim(static_cast<int>(dim)).is_constant();
  const std::int64_t k = is_known ? result.size(static_cast<int>(dim)) : field("top_k");
  return expanded(op, [&] { return legalize::first_k(values, dim, k, before); });
}

Values Lowering::bitcast_convert(Graph& graph, const Scope& scope, const Operation& op) {
  const Values values = operands(scope, op);
  const std::vector<Type> types = flattened(op.result_types);
  const bool is_direct =
      values.size() != 1 || types.size() != 1 || have_same_bytes(values[0].dtype(), types[0].dtype());
  if (is_direct && (values.empty() || values[0].dtype() != DType::boolean))
    return append(graph, op, ops::bitcast_convert, values, types, {});
  return expanded(op, [&] { return flattened({{legalize::bitcast({values[0]}, {types[0]})}}); });
}

Values Lowering::contraction(Graph& graph, const Scope& scope, const Operation& op) {
  const Values values = operands(scope, op);
  const std::vector<Type> types = flattened(op.result_types);
  const bool is_mixed = values.size() == 2 && values[0].dtype() != values[1].dtype();
  if (is_mixed && op_named(op.name) == &ops::convolution)
    fail(op, concat("the operands must have one element type, got ", values[0].type(), " and ", values[1].type()));
  if (values.size() == 2 && types.size() == 1) return {contract(graph, op, values[0], values[1], types[0])};
  return append(graph, op, *op_named(op.name), values, types, {});
}

// If the operands have several dtypes, or the result is not a wider dtype of the same class, computes in a dtype that represents
// them all. Booleans are counted: their sum is true if any product is.
Value Lowering::contract(Graph& graph, const Operation& op, Value lhs, Value rhs, Type result) {
  for (const Type type : {lhs.type(), rhs.type(), result})
    if (type.dtype() == DType::token) fail(op, concat("computes with numbers, not with ", type));
  const Op& kind = *op_named(op.name);
  const DType both = promote(lhs.dtype(), rhs.dtype()), all = promote(both, result.dtype()),
              wide = all == DType::boolean ? DType::i32 : all;
  const bool one_class = is_float(both) == is_float(wide) && is_signed_integer(both) == is_signed_integer(wide);
  const bool is_direct = lhs.dtype() == rhs.dtype() && wide == result.dtype() && one_class;
  const Value operands[] = {is_direct ? lhs : convert(lhs, wide), is_direct ? rhs : convert(rhs, wide)};
  const Type types[] = {is_direct ? result : result.with(wide)};
  return convert(append(graph, op, kind, operands, types, {})[0], result.dtype());
}

Values Lowering::chlo(const ChloFunction& function, const Scope& scope, const Operation& op) {
  const Values values = operands(scope, op);
  if (values.size() != function.arity) fail(op, concat("takes ", function.arity, " operands, got ", values.size()));
  for (const Value v : values)
    if (v.type() != values[0].type())
      fail(op, concat("operands must be of one type, got ", values[0].type(), " and ", v.type()));
  return expanded(op, [&] { return Values{function.expand(values)}; });
}

}  // namespace weft::ir::text
