#include <weft/compiler/passes/widen_narrow_types.h>

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <weft/base/error.h>
#include <weft/compiler/passes/narrow_codes.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

using ir::Value;

// The ops of which many may run before the result is rounded or wrapped.
constexpr std::array<const ir::Op*, 7> rounded_once = {&ir::ops::add,     &ir::ops::multiply, &ir::ops::maximum,
                                                       &ir::ops::minimum, &ir::ops::and_,     &ir::ops::or_,
                                                       &ir::ops::xor_};

bool is_narrow_float(DType t) { return is_narrow(t) && is_float(t); }
bool is_narrow_type(Type type) { return is_narrow(type.dtype()); }

bool touches_narrow_types(const ir::Node& node) {
  return std::ranges::any_of(node.types, is_narrow_type) ||
         std::ranges::any_of(node.operands, [](Value v) { return is_narrow_type(v.type()); });
}

bool has_narrow_types(const ir::Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const ir::Node* node) {
    return std::ranges::any_of(node->types, is_narrow_type) ||
           std::ranges::any_of(node->regions, [](const ir::Graph* region) { return has_narrow_types(*region); });
  });
}

// Returns whether the node, and what is in its regions, can be computed without narrow types.
bool can_widen(const ir::Node& node) {
  const bool runs_all_ops =
      std::ranges::all_of(node.regions, [](const ir::Graph* region) { return can_compile_types(*region); });
  if (!touches_narrow_types(node)) return runs_all_ops;
  const bool is_call = node.op->flow == ir::Flow::call;  // whose name means something for its operands' types
  const bool has_rule = node.op->kind != ir::Kind::opaque || node.op->flow == ir::Flow::barrier;
  return runs_all_ops && has_rule && !is_call && !node.op->interpreted;
}

class Widening {
 public:
  // In the bodies of reductions and the like, values are numbers (f32) that have been rounded, not codes.
  Widening(const ir::Graph& from, bool holds_codes)
      : from_(from), holds_codes_(holds_codes), to_(std::make_shared<ir::Graph>()) {
    copy_names_and_annotations(from, *to_);
  }

  std::shared_ptr<const ir::Graph> run() {
    for (const ir::Node* node : from_.nodes()) {
      to_->set_location(node->location);
      values_.emplace(node, results(*node));
    }
    std::vector<Value> outputs;
    for (const Value v : from_.outputs()) outputs.push_back(at(v));
    to_->set_outputs(std::move(outputs));
    return to_;
  }

 private:
  Value at(Value v) const { return values_.at(v.node)[v.index]; }

  static Type computed(Type type) {
    if (!is_narrow_type(type)) return type;
    return type.with(is_narrow_float(type.dtype()) ? DType::f32 : held_dtype(type.dtype()));
  }
  Type held(Type type) const {
    return is_narrow_float(type.dtype()) && holds_codes_ ? type.with(held_dtype(type.dtype())) : computed(type);
  }
  std::vector<Value> held_operands(const ir::Node& node) const {
    std::vector<Value> operands;
    for (const Value v : node.operands) operands.push_back(at(v));
    return operands;
  }
  std::vector<Type> held_types(const ir::Node& node) const {
    std::vector<Type> types;
    for (const Type type : node.types) types.push_back(held(type));
    return types;
  }

  // Returns a value as what ops compute with: narrow floats as f32, narrow integers as they are held.
  Value number(Value v) const {
    const Value x = at(v);
    return is_narrow_float(v.dtype()) && holds_codes_ ? decode_floats(x, v.dtype()) : x;
  }
  // Returns a computed value as it is held.
  Value back(Value x, DType dtype) const {
    if (!is_narrow(dtype)) return x;
    if (!is_float(dtype)) return wrap_integers(x, dtype);
    const Value codes = encode_floats(x, dtype);
    return holds_codes_ ? codes : decode_floats(codes, dtype);
  }

  static std::vector<Value> all_results(ir::Node& made) {
    std::vector<Value> results;
    for (std::uint32_t i = 0; i < made.types.size(); ++i) results.push_back(made.result(i));
    return results;
  }
  std::vector<Value> append(const ir::Node& node, std::span<const Value> operands, std::span<const Type> types,
                            std::span<const std::shared_ptr<const ir::Graph>> regions) {
    return all_results(to_->append(*node.op, operands, node.attribute_data, types, regions));
  }

  std::vector<Value> results(const ir::Node& node) {
    if (ir::is_parameter(node)) return {to_->add_input(held(node.type()))};
    if (!touches_narrow_types(node) &&
        std::ranges::none_of(node.regions, [](const ir::Graph* region) { return has_narrow_types(*region); })) {
      return all_results(to_->append_copy(node, held_operands(node)));
    }
    switch (node.op->kind) {
      case ir::Kind::source: return {source(node)};
      case ir::Kind::elementwise: return node.op == &ir::ops::select ? moved(node) : std::vector{elementwise(node)};
      case ir::Kind::contraction: return {contraction(node)};
      default: return node.op->flow == ir::Flow::none && !node.regions.empty() ? folded(node) : moved(node);
    }
  }

  Value source(const ir::Node& node) {
    const Type type = node.type();
    if (const auto* constant = node.attributes_if<ir::ConstantAttributes>()) {
      const Value codes = ir::constant(*to_, ir::Literal{type.with(held_dtype(type.dtype())), constant->value.bytes});
      return is_narrow_float(type.dtype()) && !holds_codes_ ? decode_floats(codes, type.dtype()) : codes;
    }
    return back(append(node, {}, std::array{computed(type)}, {})[0], type.dtype());
  }

  // What moves elements moves them as they are held, and control flow passes them on so.
  std::vector<Value> moved(const ir::Node& node) {
    std::vector<std::shared_ptr<const ir::Graph>> regions;
    for (const ir::Graph* region : node.regions) regions.push_back(Widening(*region, holds_codes_).run());
    return append(node, held_operands(node), held_types(node), regions);
  }

  // What applies its regions to elements computes with numbers. A sum of many is rounded once.
  std::vector<Value> folded(const ir::Node& node) {
    std::vector<Value> operands;
    for (const Value v : node.operands) operands.push_back(number(v));
    std::vector<std::shared_ptr<const ir::Graph>> regions;
    for (const ir::Graph* region : node.regions) {
      const ir::Op* const op = ir::reduction_op(*region);
      const bool is_simple =
          op && is_narrow_type(region->outputs()[0].type()) && std::ranges::count(rounded_once, op) != 0;
      regions.push_back(is_simple ? ir::reduction_body(*op, computed(region->outputs()[0].type()).dtype())
                                  : Widening(*region, false).run());
    }
    std::vector<Type> types;
    for (const Type type : node.types) types.push_back(computed(type));
    std::vector<Value> results = append(node, operands, types, regions);
    for (std::size_t i = 0; i < results.size(); ++i) results[i] = back(results[i], node.types[i].dtype());
    return results;
  }

  // Integers are multiplied and added in i32, of which the low bits count.
  Value contraction(const ir::Node& node) {
    const DType result = node.type().dtype();
    const bool is_real = is_float(node.operand(0).dtype());
    const DType wide = is_real ? DType::f32 : DType::i32;
    std::vector<Value> operands;
    for (const Value v : node.operands) operands.push_back(ir::convert(number(v), wide));
    const Value sum = append(node, operands, std::array{node.type().with(wide)}, {})[0];
    if (is_narrow_float(result)) return back(sum, result);
    return is_narrow(result) ? back(ir::convert(sum, held_dtype(result)), result) : ir::convert(sum, result);
  }

  Value elementwise(const ir::Node& node) {
    const DType result = node.type().dtype();
    if (node.op == &ir::ops::convert) return converted(node.operand(0), result);
    if (node.op == &ir::ops::bitcast_convert) return reinterpreted(node.operand(0), result);
    std::vector<Value> operands;
    for (const Value v : node.operands) operands.push_back(number(v));
    const auto raw = [&](Value v) { return low_bits(at(v), v.dtype()); };
    if (node.op == &ir::ops::count_leading_zeros) {
      const Value zeros = ir::count_leading_zeros(raw(node.operand(0)));
      return narrowed(ir::subtract(zeros, ir::constant_like(zeros, 8 - bit_width(result))), result);
    }
    if (node.op == &ir::ops::popcnt) return narrowed(ir::popcnt(raw(node.operand(0))), result);
    if (node.op == &ir::ops::shift_right_logical)
      return narrowed(ir::shift_right_logical(raw(node.operand(0)), raw(node.operand(1))), result);
    if (node.op == &ir::ops::shift_right_arithmetic && is_unsigned_integer(result)) {
      const auto as_signed = [](Value x) { return ir::bitcast_convert(x, x.type().with(DType::i8)); };
      const Value extended = wrap_integers(as_signed(operands[0]), result == DType::u4 ? DType::i4 : DType::i2);
      const Value shifted = ir::shift_right_arithmetic(extended, as_signed(operands[1]));
      return narrowed(ir::bitcast_convert(shifted, shifted.type().with(DType::u8)), result);
    }
    return back(append(node, operands, std::array{computed(node.type())}, {})[0], result);
  }

  // Returns the bits of a narrow integer, as ui8 whose other bits are 0.
  static Value low_bits(Value x, DType dtype) {
    const Value bits = ir::bitcast_convert(x, x.type().with(DType::u8));
    return ir::and_(bits, ir::constant_like(bits, (1 << bit_width(dtype)) - 1));
  }
  // The inverse.
  static Value narrowed(Value bits, DType dtype) {
    return wrap_integers(ir::bitcast_convert(bits, bits.type().with(held_dtype(dtype))), dtype);
  }

  Value reinterpreted(Value v, DType to) const {
    const DType from = v.dtype();
    // Values of a byte or less are held as their bits, except that signed integers are extended, and floats may be numbers.
    const auto bits = [&]() -> Value {
      if (is_narrow_float(from)) return holds_codes_ ? at(v) : encode_floats(at(v), from);
      return is_narrow(from) ? low_bits(at(v), from) : ir::bitcast_convert(at(v), v.type().with(DType::u8));
    }();
    if (is_narrow_float(to)) return holds_codes_ ? bits : decode_floats(bits, to);
    return is_narrow(to) ? narrowed(bits, to) : ir::bitcast_convert(bits, bits.type().with(to));
  }

  // Converts as convert_element of base/convert.h does: by way of f64 where f32 does not hold every value.
  Value converted(Value v, DType to) const {
    const DType from = v.dtype();
    const Value x = number(v);
    if (!is_narrow(to)) return ir::convert(x, to);
    if (is_float(to)) {
      const bool fits = from == DType::f32 || byte_size(from) <= 2;
      return back(ir::convert(x, fits ? DType::f32 : DType::f64), to);
    }
    if (!is_float(from)) return back(ir::convert(x, held_dtype(to)), to);
    const Value whole = ir::convert(x, DType::i32);
    const int bits = bit_width(to) - (is_signed_integer(to) ? 1 : 0);
    const double most = (1 << bits) - 1, least = is_signed_integer(to) ? -most - 1 : 0;
    return ir::convert(ir::clamp(ir::constant_like(whole, least), whole, ir::constant_like(whole, most)),
                       held_dtype(to));
  }

  const ir::Graph& from_;
  const bool holds_codes_;
  const std::shared_ptr<ir::Graph> to_;
  std::unordered_map<const ir::Node*, std::vector<Value>> values_;
};

}  // namespace

bool can_compile_types(const ir::Graph& graph) {
  return std::ranges::all_of(graph.nodes(), [](const ir::Node* node) { return can_widen(*node); });
}

std::shared_ptr<const ir::Graph> widen_narrow_types(const ir::Graph& graph) {
  return has_narrow_types(graph) && can_compile_types(graph) ? Widening(graph, true).run() : nullptr;
}

}  // namespace weft::compiler
