// Operations with complex operands or results. Most are handled according to the op's declaration; the exceptions are below.
#include <algorithm>

#include <weft/ir/host_function.h>
#include <weft/ir/legalize/complex_parts.h>
#include <weft/ir/ops.h>
#include <weft/ir/text/fields.h>
#include <weft/ir/text/literal.h>
#include <weft/ir/text/lowering.h>

namespace weft::ir::text {

namespace {

struct NamedComplexRule {
  std::string_view name;
  LoweringRule lower;
};
constexpr NamedComplexRule complex_rules[] = {
    {"check.expect_almost_eq_const", &Lowering::complex_check},
    {"check.expect_eq", &Lowering::each_part},
    {"check.expect_eq_const", &Lowering::complex_check},
    {"check.expect_serialized_eq", &Lowering::complex_probe},
    {"chlo.scan", &Lowering::real_operation},
    {"func.call", &Lowering::real_operation},
    {"interpreter.print", &Lowering::each_part},
    {"interpreter.probe", &Lowering::complex_probe},
    {"interpreter.run_parallel", &Lowering::real_operation},
    {"sdy.reshard", &Lowering::each_part},
    {"sdy.sharding_constraint", &Lowering::each_part},
    {"sdy.sharding_group", &Lowering::real_operation},
    {"stablehlo.async_done", &Lowering::real_operation},
    {"stablehlo.async_start", &Lowering::real_operation},
    {"stablehlo.broadcast", &Lowering::deprecated},
    {"stablehlo.cholesky", &Lowering::complex_cholesky},
    {"stablehlo.compare", &Lowering::complex_compare},
    {"stablehlo.composite", &Lowering::real_operation},
    {"stablehlo.constant", &Lowering::complex_constant},
    {"stablehlo.convolution", &Lowering::complex_contraction},
    {"stablehlo.custom_call", &Lowering::complex_custom_call},
    {"stablehlo.dot", &Lowering::deprecated},
    {"stablehlo.dot_general", &Lowering::complex_contraction},
    {"stablehlo.einsum", &Lowering::deprecated},
    {"stablehlo.fft", &Lowering::fft},
    {"stablehlo.get_dimension_size", &Lowering::real_operation},
    {"stablehlo.iota", &Lowering::complex_iota},
    {"stablehlo.map", &Lowering::real_operation},
    {"stablehlo.torch_index_select", &Lowering::deprecated},
    {"stablehlo.triangular_solve", &Lowering::complex_triangular_solve},
    {"stablehlo.unary_einsum", &Lowering::deprecated},
};

// Returns whether the op only moves elements, so that it can be applied to each part separately.
bool moves_elements(const Op& op) {
  if (op.regions != 0 || op.takes_tokens) return false;
  return op.kind == Kind::shape || op.kind == Kind::indexing || op.kind == Kind::collective;
}

std::vector<Type> part_types(std::span<const WrittenType> types) {
  std::vector<Type> parts;
  for (const WrittenType type : types) parts.push_back(type.part);
  return parts;
}

// Returns the results of both parts as a flat list; a real result is the same in both and appears once.
Values interleaved(const Values& re, const Values& im, std::span<const WrittenType> types) {
  Values values;
  for (std::size_t i = 0; i < re.size(); ++i) {
    values.push_back(re[i]);
    if (i < types.size() && types[i].is_complex) values.push_back(im[i]);
  }
  return values;
}

}  // namespace

LoweringRule complex_rule_named(std::string_view name) {
  const auto* found = std::ranges::find(complex_rules, name, &NamedComplexRule::name);
  return found == std::end(complex_rules) ? nullptr : found->lower;
}

bool Lowering::is_complex(const Scope& scope, const Operation& op) const {
  return std::ranges::any_of(op.result_types, &WrittenType::is_complex) ||
         std::ranges::any_of(op.operands, [&](const Use& use) { return lookup(scope, use).is_complex(); });
}

Values Lowering::complex_operation(Graph& graph, const Scope& scope, const Operation& op) {
  if (const LoweringRule rule = complex_rule_named(op.name)) return (this->*rule)(graph, scope, op);
  if (const ComplexFunction* known = legalize::find_complex(op.name)) return complex_function(*known, scope, op);
  const Op* kind = op_named(op.name);
  if (kind && moves_elements(*kind)) return each_part(graph, scope, op);
  if (kind && kind->takes_tokens) return real_operation(graph, scope, op);
  if (kind && kind->regions != 0) return complex_regions(graph, scope, op, *kind);
  source_.fail_unsupported(op.at, concat(op.name, ": takes no complex numbers"),
                           concat(op.name, " of complex numbers"));
}

Values Lowering::complex_function(const ComplexFunction& function, const Scope& scope, const Operation& op) {
  const WrittenValues values = written_operands(scope, op);
  if (values.size() != function.arity) fail(op, concat("takes ", function.arity, " operands, got ", values.size()));
  if (op.result_types.size() != 1) fail(op, concat("has one result, but ", op.result_types.size(), " are declared"));
  return expanded(op, [&] { return flattened({{function.expand(values, op.result_types[0])}}); });
}

// Applies the real operation to each part.
Values Lowering::each_part(Graph& graph, const Scope& scope, const Operation& op) {
  const WrittenValues values = written_operands(scope, op);
  Operation of_part = op;
  for (WrittenType& type : of_part.operand_types) type.is_complex = false;
  for (WrittenType& type : of_part.result_types) type.is_complex = false;
  const auto lower = [&](bool imaginary) {
    const Values parts = half(values, imaginary);
    Scope inner;
    for (std::size_t i = 0; i < parts.size(); ++i) inner.add(op.operands[i], {parts[i]});
    return real_operation(graph, inner, of_part);
  };
  const Values re = lower(false), im = lower(true);
  return interleaved(re, im, op.result_types);
}

// If the regions treat the parts alike, applies the operation to each part; otherwise applies it once to a flat list of all
// parts, if it takes any number of operands.
Values Lowering::complex_regions(Graph& graph, const Scope& scope, const Operation& op, const Op& kind) {
  const WrittenValues values = written_operands(scope, op);
  const Regions regions = closed_regions(op, scope, {});
  Regions of_part;
  for (const auto& region : regions)
    if (auto part = legalize::part_of_region(*region)) of_part.push_back(legalize::shared_body(std::move(part)));
  if (of_part.size() == regions.size()) {
    const std::vector<Type> types = part_types(op.result_types);
    const Values re = append(graph, op, kind, half(values, false), types, of_part),
                 im = append(graph, op, kind, half(values, true), types, of_part);
    return interleaved(re, im, op.result_types);
  }
  if (kind.arity != variadic || kind.kind == Kind::collective)
    source_.fail_unsupported(
        op.at, concat(op.name, ": for complex numbers, its region must treat real and imaginary parts alike"),
        concat(op.name, " of complex numbers"));
  return append(graph, op, kind, flattened(values), flattened(op.result_types), regions);
}

// ---------------------------------------------------------------------------------------------------------------------
// Sources

Values Lowering::complex_literal(Graph& graph, const Operation& op) {
  const Attribute* found = find(op.attributes, "value");
  if (!found) fail(op, "expected the attribute value");
  const Attribute& value = resolve(source_, module_, *found);
  const bool is_literal = value.kind == Attribute::Kind::dense || value.kind == Attribute::Kind::resource;
  if (!is_literal || !value.type.is_complex)
    source_.fail(value.at, concat(op.name, ": expected dense<...> of complex numbers for value"));
  Arena scratch;
  const Type part = value.type.part;
  const ComplexLiteral literal =
      value.kind == Attribute::Kind::dense
          ? read_complex_literal(source_, value, part, scratch)
          : read_complex_resource(source_, value.at, find_resource(source_, module_, value), part, scratch);
  return {constant(graph, literal.re), constant(graph, literal.im)};
}

Values Lowering::complex_constant(Graph& graph, const Scope&, const Operation& op) {
  return complex_literal(graph, op);
}

Values Lowering::complex_iota(Graph& graph, const Scope& scope, const Operation& op) {
  Operation of_part = op;
  for (WrittenType& type : of_part.result_types) type.is_complex = false;
  const Values re = real_operation(graph, scope, of_part);
  return {re[0], constant_like(re[0], 0)};
}

// ---------------------------------------------------------------------------------------------------------------------
// Operations whose attributes matter

Values Lowering::complex_compare(Graph& graph, const Scope& scope, const Operation& op) {
  Arena scratch;
  AttributeReader reader(source_, module_, op, scratch);
  const auto& how = *static_cast<const CompareAttributes*>(ops::compare.attributes->read(scratch, reader));
  if (how.direction != Direction::EQ && how.direction != Direction::NE)
    fail(op, "complex numbers have no order; use EQ or NE");
  const WrittenValues values = written_operands(scope, op);
  const std::vector<Type> types = part_types(op.result_types);
  const Value re = append(graph, op, ops::compare, half(values, false), types, {})[0],
              im = append(graph, op, ops::compare, half(values, true), types, {})[0];
  return {how.direction == Direction::EQ ? and_(re, im) : or_(re, im)};
}

// Contractions are bilinear: contracts each part of one operand with each part of the other.
Values Lowering::complex_contraction(Graph& graph, const Scope& scope, const Operation& op) {
  const WrittenValues values = written_operands(scope, op);
  if (values.size() != 2 || op.result_types.size() != 1) fail(op, "takes two operands and has one result");
  if (!op.result_types[0].is_complex) fail(op, concat("of complex numbers cannot produce ", op.result_types[0]));
  const Type part = op.result_types[0].part;
  const WrittenValue result = legalize::product(
      values[0], values[1], [&](Value lhs, Value rhs) { return contract(graph, op, lhs, rhs, part); });
  return {result.re, result.is_complex() ? result.im : constant_like(result.re, 0)};
}

Values Lowering::fft(Graph&, const Scope& scope, const Operation& op) {
  constexpr std::string_view types[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  const WrittenValues values = written_operands(scope, op);
  if (values.size() != 1) fail(op, concat("takes one operand, got ", values.size()));
  Arena scratch;
  AttributeReader reader(source_, module_, op, scratch);
  int type = 0;
  Ints lengths;
  reader.enumerator("fft_type", types, type);
  reader.integers("fft_length", lengths);
  return expanded(
      op, [&] { return flattened({{legalize::fft(values[0], static_cast<legalize::FftType>(type), lengths)}}); });
}

Values Lowering::complex_cholesky(Graph&, const Scope& scope, const Operation& op) {
  const WrittenValues values = written_operands(scope, op);
  if (values.size() != 1 || !values[0].is_complex()) fail(op, "takes one operand of complex numbers");
  Arena scratch;
  AttributeReader reader(source_, module_, op, scratch);
  const auto& attributes = *static_cast<const CholeskyAttributes*>(schema<CholeskyAttributes>->read(scratch, reader));
  return expanded(op, [&] { return flattened({{legalize::complex_cholesky(values[0], attributes)}}); });
}

Values Lowering::complex_triangular_solve(Graph&, const Scope& scope, const Operation& op) {
  const WrittenValues values = written_operands(scope, op);
  if (values.size() != 2 || !values[0].is_complex()) fail(op, "takes two operands of complex numbers");
  Arena scratch;
  AttributeReader reader(source_, module_, op, scratch);
  const auto& attributes =
      *static_cast<const TriangularSolveAttributes*>(schema<TriangularSolveAttributes>->read(scratch, reader));
  return expanded(op,
                  [&] { return flattened({{legalize::complex_triangular_solve(values[0], values[1], attributes)}}); });
}

// check.expect_eq_const %x, dense<...> checks each part.
Values Lowering::complex_check(Graph& graph, const Scope& scope, const Operation& op) {
  const Values parts = operands(scope, op), expected = complex_literal(graph, op);
  if (parts.size() != 2) fail(op, "expected one complex operand");
  const Operation call = check_call(op);
  for (std::size_t i = 0; i < 2; ++i) {
    const Value both[] = {parts[i], expected[i]};
    append(graph, call, ops::custom_call, both, {}, {});
  }
  return {};
}

Values Lowering::complex_custom_call(Graph& graph, const Scope& scope, const Operation& op) {
  const std::string_view name = call_target(op);
  if (find_call(name) || name == layout_constraint || name.starts_with("check.")) return each_part(graph, scope, op);
  if (is_typed_call(op)) return call_of_host(graph, scope, op, name);
  source_.fail_unsupported(op.at,
                           find_host_function(name) ? concat("custom_call @", name, ": takes no complex numbers here")
                                                    : no_host_function(name),
                           concat("custom_call @", name));
}

// Each part has a probe of its own.
Values Lowering::complex_probe(Graph& graph, const Scope& scope, const Operation& op) {
  const WrittenValues values = written_operands(scope, op);
  const Op& kind = *op_named(op.name);
  Arena scratch;
  AttributeReader reader(source_, module_, op, scratch);
  const void* read = kind.attributes->read(scratch, reader);
  Values results;
  for (const bool imaginary : {false, true}) {
    const auto named = [&]<class Attributes>(Attributes attributes) {
      const std::string name = concat(attributes.name, imaginary ? ".imag" : ".real");
      attributes.name = name;
      const Values part =
          append(graph, op, kind, half(values, imaginary), part_types(op.result_types), {}, &attributes);
      results.insert(results.end(), part.begin(), part.end());
    };
    if (&kind == &ops::probe)
      named(*static_cast<const ProbeAttributes*>(read));
    else
      named(*static_cast<const ProbeCheckAttributes*>(read));
  }
  return results;
}

}  // namespace weft::ir::text
