// Operations whose region takes single elements and does more than weft's ops allow: it uses values from outside, or computes in
// a wider dtype than that of the operands. Such an operation is rewritten: values from outside become additional inputs, and
// operands are converted first.
#include <algorithm>

#include <weft/ir/ops.h>
#include <weft/ir/text/lowering.h>

namespace weft::ir::text {

namespace {

struct Range {
  std::size_t first, count;
  std::size_t end() const { return first + count; }
};

// Says which operands and region arguments belong to the inputs of an operation.
struct Inputs {
  ShortList<Range, 3> operands;  // an input has the same position in each range
  // where the arguments of an additional input go in the region; empty if there can be none
  ShortList<std::size_t, 2> arguments;
  bool is_result = true;    // every input has a result
  bool is_returned = true;  // the region returns a value for every input
  std::size_t region = 0;   // the region that computes the result
};

std::optional<Inputs> inputs_of(const Operation& op) {
  const std::size_t count = op.operands.size(), half = count / 2;
  if (op.name == "stablehlo.reduce" || op.name == "stablehlo.reduce_window")
    return Inputs{{{0, half}, {half, half}}, {half, 2 * half}};
  if (op.name == "stablehlo.scatter") return Inputs{{{0, half}, {half + 1, half}}, {half, 2 * half}};
  if (op.name == "stablehlo.sort") return Inputs{{{0, count}}, {2 * count, 2 * count}, true, false};
  if (op.name == "stablehlo.map") return Inputs{{{0, count}}, {count}, false, false};
  if (op.name == "stablehlo.all_reduce" || op.name == "stablehlo.reduce_scatter") return Inputs{{{0, count}}, {}};
  if (op.name == "stablehlo.select_and_scatter") return Inputs{{{0, 1}, {1, 1}, {2, 1}}, {}, true, true, 1};
  return std::nullopt;
}

// Returns whether the operation has the parts that `inputs` describes. If not, the op's type rule reports the error.
bool is_complete(const Operation& op, const Inputs& inputs) {
  if (op.regions.size() <= inputs.region || op.regions[inputs.region].operations.empty()) return false;
  const auto fits = [&](Range range) { return range.count > 0 && range.end() <= op.operands.size(); };
  const std::size_t arguments = op.regions[inputs.region].arguments.size();
  return std::ranges::all_of(inputs.operands, fits) && arguments >= inputs.operands[0].count &&
         (inputs.arguments.empty() || arguments == inputs.arguments.back()) && !op.result_types.empty() &&
         (op.operand_types.empty() || op.operand_types.size() == op.operands.size());
}

// StableHLO's is_promotable.
bool is_promotable(WrittenType from, WrittenType to) {
  const DType a = from.part.dtype(), b = to.part.dtype();
  return from.is_complex == to.is_complex && is_float(a) == is_float(b) &&
         is_signed_integer(a) == is_signed_integer(b) && is_unsigned_integer(a) == is_unsigned_integer(b) &&
         bit_width(a) <= bit_width(b);
}

template <class Function>
WrittenValue each(const WrittenValue& v, Function&& function) {
  return {function(v.re), v.is_complex() ? function(v.im) : Value()};
}

WrittenType with_dims(WrittenType element, Type shape) {
  return {Type(element.part.dtype(), shape.dims()), element.is_complex};
}

// Names that cannot occur in text.
constexpr std::string_view promoted_name = "promoted", captured_name = "captured", wide_name = "wide",
                           unused_name = "unused";

// Replaces an operand under a name of its own.
void set_operand(Operation& op, Scope& scope, std::size_t i, WrittenValue value) {
  const Use name{Name(&promoted_name), static_cast<std::uint32_t>(i), op.operands[i].at};
  scope.set(name, value);
  op.operands[i] = name;
  if (!op.operand_types.empty()) op.operand_types[i] = value.type();
}

void add_operand(Operation& op, Scope& scope, std::size_t i, WrittenValue value, std::size_t at) {
  const Use name{Name(&captured_name), static_cast<std::uint32_t>(op.operands.size()), at};
  scope.add(name, value);
  op.operands.insert(op.operands.begin() + i, name);
  if (!op.operand_types.empty()) op.operand_types.insert(op.operand_types.begin() + i, value.type());
}

// Makes the region take `to` where it took another dtype; the region starts with conversions back to that dtype.
void take_wider(Region& region, WrittenType to) {
  for (std::size_t i = 0; i < region.arguments.size(); ++i) {
    Argument& a = region.arguments[i];
    if (a.type == to || !is_promotable(a.type, to)) continue;
    const Use wide{Name(&wide_name), static_cast<std::uint32_t>(i), a.at};
    Operation back;
    back.name = "stablehlo.convert";
    back.at = a.at;
    back.results = {{a.name}};
    back.operands = {wide};
    back.result_types = {a.type};
    region.operations.insert(region.operations.begin(), std::move(back));
    a = {wide.name, to, a.at, {}, wide.index};
  }
}

}  // namespace

// Lowers the operation with operands converted to the dtypes of the region's arguments; returns nullopt if they already have
// these dtypes.
std::optional<WrittenValues> Lowering::with_promoted_operands(Graph& graph, const Scope& scope, const Operation& op) {
  const auto inputs = inputs_of(op);
  if (!inputs || !inputs->is_returned || !is_complete(op, *inputs)) return std::nullopt;
  const Region& region = op.regions[inputs->region];
  Operation promoted;
  Scope inner;
  for (const Range range : inputs->operands)
    for (std::size_t i = 0; i < range.count; ++i) {
      const WrittenValue& value = lookup(scope, op.operands[range.first + i]);
      const WrittenType wanted = with_dims(region.arguments[i].type, value.part());
      if (value.type() == wanted || !is_promotable(value.type(), wanted)) continue;
      if (inner.empty()) {
        promoted = op;
        inner = scope;
      }
      set_operand(promoted, inner, range.first + i,
                  each(value, [&](Value part) { return convert(part, wanted.part.dtype()); }));
    }
  if (inner.empty()) return std::nullopt;
  if (inputs->region == 1) take_wider(promoted.regions[0], region.arguments[0].type);
  return operation(graph, inner, promoted);
}

// Lowers the operation with one more input, all of whose elements are the first value that its region uses from outside; returns
// nullopt if the region uses none.
std::optional<WrittenValues> Lowering::with_captured_input(Graph& graph, const Scope& scope, const Operation& op) {
  const auto inputs = inputs_of(op);
  if (!inputs || inputs->arguments.empty() || !is_complete(op, *inputs)) return std::nullopt;
  const std::vector<Use>& captures = op.regions[0].captures;
  const auto found = std::ranges::find_if_not(
      captures, [&](const Use& use) { return constant_behind(lookup(scope, use)).has_value(); });
  if (found == captures.end()) return std::nullopt;
  const Use captured = *found;
  const WrittenValue value = lookup(scope, captured);
  if (value.part().rank() != 0) return std::nullopt;

  Operation lifted = op;
  Scope inner = scope;
  Region& region = lifted.regions[0];
  std::erase(region.captures, captured);
  for (std::size_t g = inputs->operands.size(); g-- > 0;) {
    const Type shape = lookup(scope, op.operands[inputs->operands[g].first]).part();
    add_operand(lifted, inner, inputs->operands[g].end(),
                each(value, [&](Value part) { return broadcast(part, Type(part.dtype(), shape.dims())); }),
                captured.at);
  }
  // The first argument of the new input gets the name of the captured value, which the region uses; the other arguments are unused.
  for (std::size_t i = inputs->arguments.size(); i-- > 0;) {
    const auto place = region.arguments.begin() + inputs->arguments[i];
    const std::uint32_t number = op.operands.size();
    if (i == 0)
      region.arguments.insert(place, {captured.name, value.type(), captured.at, {}, captured.index});
    else
      region.arguments.insert(place, {Name(&unused_name), value.type(), captured.at, {}, number});
  }
  Operation& end = region.operations.back();
  if (inputs->is_returned) {
    end.operands.push_back(captured);
    if (!end.operand_types.empty()) end.operand_types.push_back(value.type());
  }
  if (inputs->is_result) lifted.result_types.push_back(with_dims(value.type(), op.result_types[0].part));
  WrittenValues results = operation(graph, inner, lifted);
  if (inputs->is_result) results.pop_back();
  return results;
}

// weft decides itself what runs at the same time, so a future is its value: the region is computed where it starts.
Values Lowering::async_start(Graph& graph, const Scope& scope, const Operation& op) {
  if (op.regions.size() != 1) fail(op, "expected one region");
  const Region& region = op.regions[0];
  if (region.arguments.size() != op.operands.size())
    fail(op, concat("the region takes ", region.arguments.size(), " values, and there are ", op.operands.size(),
                    " operands"));
  Scope inner;
  for (const Use& use : region.captures) inner.add(use, lookup(scope, use));
  for (std::size_t i = 0; i < region.arguments.size(); ++i) {
    const Argument& a = region.arguments[i];
    const WrittenValue& value = operand(scope, op, i);
    if (value.type() != a.type) fail(op, concat("the region takes ", a.type, " where the operand is ", value.type()));
    inner.add({a.name, a.index}, value);
  }
  const WrittenValues results = block(graph, region, inner, "stablehlo.return");
  if (!std::ranges::equal(results, op.result_types, {}, &WrittenValue::type))
    fail(op, "the types of the region's results differ from that of the future");
  graph.set_location(locations_.of(op));
  return flattened(results);
}

Values Lowering::async_done(Graph&, const Scope& scope, const Operation& op) {
  const WrittenValues values = written_operands(scope, op);
  if (!std::ranges::equal(values, op.result_types, {}, &WrittenValue::type))
    fail(op, "the result has not the type of the future");
  return flattened(values);
}

}  // namespace weft::ir::text
