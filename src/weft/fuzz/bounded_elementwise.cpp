#include <algorithm>

#include <weft/fuzz/bounded_rules.h>
#include <weft/fuzz/rounding.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

using ir::Array;

namespace {

// The position of element `i` in an operand; an operand of rank 0 has one element for all i.
std::int64_t at(const Bounded& operand, std::int64_t i) { return operand.value.type().rank() == 0 ? 0 : i; }
double bound_at(const Bounded& operand, std::int64_t i) { return values_of(operand.bound)[at(operand, i)]; }

// Returns whether the bound is so wide that nothing is known about the result of a function.
bool is_vague(double x, double bound) { return bound > 0.25 && bound > std::abs(x) / 16; }

bool crosses_zero(const Bounded& operand) {
  for (std::int64_t i = 0; i < operand.value.size(); ++i)
    if (const double b = values_of(operand.bound)[i]; b > 0 && std::abs(operand.value.element(i)) <= b) return true;
  return false;
}

// Replaces each element by f(element, bound). If that changes an element at all, it changes by at least one unit in the last place.
template <class F>
Array moved(const Bounded& operand, F f) {
  Array result = operand.value;
  visit(result.dtype(), [&]<class T>(T) {
    if constexpr (is_float_type<T>) {
      std::size_t i = 0;
      for (T& element : result.data<T>()) {
        const double x = element;
        const double bound = values_of(operand.bound)[i++];
        if (bound == 0 || bound == infinity || !std::isfinite(x)) continue;
        const double to = f(x, bound);
        element = static_cast<T>(to);
        if (element == x && to != x) element = static_cast<T>(x + std::copysign(ulp(x, dtype_of<T>), to - x));
      }
    }
  });
  return result;
}

// Returns the ends of the operand's range, and both zeros if they lie within the range.
std::vector<Array> corners(const Bounded& operand) {
  if (operand.is_exact()) return {operand.value};
  std::vector<Array> list;
  list.push_back(moved(operand, [](double x, double b) { return x - b; }));
  list.push_back(moved(operand, [](double x, double b) { return x + b; }));
  if (!crosses_zero(operand)) return list;
  for (const double zero : {0.0, -0.0})
    list.push_back(moved(operand, [zero](double x, double b) { return std::abs(x) <= b ? zero : x; }));
  return list;
}

// The distance of `y` from `other`: 0 for two NaNs, infinite if only one of them is finite, and not quite 0 for zeros of different sign.
double distance(double y, double other) {
  if (y == other) return std::signbit(y) == std::signbit(other) ? 0 : std::numeric_limits<double>::denorm_min();
  if (std::isnan(y) && std::isnan(other)) return 0;
  return std::isfinite(y) && std::isfinite(other) ? std::abs(y - other) : infinity;
}

// Returns the largest change of the result over all combinations of the corners of the operands.
Array largest_change(const BoundedCall& call) {
  const Array& y = call.results[0];
  Array change(y.type().with(DType::f64));
  std::vector<std::vector<Array>> choices;
  std::size_t count = 1;
  for (const Bounded* operand : call.operands) count *= choices.emplace_back(corners(*operand)).size();
  for (std::size_t combination = 0; combination < count; ++combination) {
    std::vector<Array> operands;
    std::size_t rest = combination;
    for (const auto& choice : choices) {
      operands.push_back(choice[rest % choice.size()]);
      rest /= choice.size();
    }
    const Array other = ir::interpret_node(call.node, operands)[0];
    visit(y.dtype(), [&]<class T>(T) {
      const auto a = y.data<T>(), b = other.data<T>();
      std::size_t i = 0;
      for (double& c : change.data<double>()) {
        if constexpr (is_float_type<T>)
          c = std::max(c, distance(static_cast<double>(a[i]), static_cast<double>(b[i])));
        else if (a[i] != b[i])
          c = infinity;
        ++i;
      }
    });
  }
  return change;
}

// Returns whether a periodic function may have an extremum between the corners, or tan a pole.
bool repeats_at(const BoundedCall& call, std::int64_t i) {
  const ir::Op* op = call.node.op;
  const double x = call[0].value.element(at(call[0], i)), b = bound_at(call[0], i);
  if (op == &ir::ops::sine || op == &ir::ops::cosine) return b > 0.25;
  if (op == &ir::ops::tan) return b > 0.25 || (b > 0 && std::cos(x - b) * std::cos(x + b) <= 0);
  if (op != &ir::ops::remainder) return false;
  const double y = call[1].value.element(at(call[1], i));
  return b + std::abs(x / y) * bound_at(call[1], i) > std::abs(y) / 4;
}

bool is_vague_at(const BoundedCall& call, std::int64_t i) {
  return repeats_at(call, i) || std::ranges::any_of(call.operands, [&](const Bounded* operand) {
           const double b = bound_at(*operand, i);
           return b == infinity || (b > 0 && is_vague(operand->value.element(at(*operand, i)), b));
         });
}

// The bound of the chosen operand, if the predicate is known.
Array select_bound(const BoundedCall& call) {
  const auto predicate = call[0].value.data<bool>();
  return doubles(call.node.type(), [&](std::int64_t i) {
    if (bound_at(call[0], i) > 0) return infinity;
    return bound_at(call[predicate[at(call[0], i)] ? 1 : 2], i);
  });
}

// Returns whether the op exposes the sign or the payload of a NaN, neither of which is guaranteed.
bool shows_nan(const BoundedCall& call) {
  if (call.node.op == &ir::ops::bitcast_convert) return is_float(call[0].value.dtype());
  return call.node.op == &ir::ops::compare &&
         call.node.attributes<ir::CompareAttributes>().type == ir::Comparison::TOTALORDER;
}

bool is_nan_at(const BoundedCall& call, std::int64_t i) {
  return std::ranges::any_of(
      call.operands, [&](const Bounded* operand) { return std::isnan(operand->value.element(at(*operand, i))); });
}

bool is_infinite_at(const BoundedCall& call, std::int64_t i) {
  return std::ranges::any_of(
      call.operands, [&](const Bounded* operand) { return std::isinf(operand->value.element(at(*operand, i))); });
}

// A comparison is known if the ranges of the operands do not overlap.
Array compare_bound(const BoundedCall& call) {
  const bool nan_is_unknown = shows_nan(call);
  return doubles(call.node.type(), [&](std::int64_t i) {
    if (nan_is_unknown && is_nan_at(call, i)) return infinity;
    const double both = bound_at(call[0], i) + bound_at(call[1], i);
    if (both == 0) return 0.0;
    const double x = call[0].value.element(i), y = call[1].value.element(i);
    // Infinities and NaN have finite bounds only if they are certain.
    if (both < infinity && (!std::isfinite(x) || !std::isfinite(y))) return 0.0;
    return std::abs(x - y) <= both || both == infinity ? infinity : 0.0;
  });
}

// Returns whether the node is x * logistic(x). A library may fuse it into a product, with 0 in place of a subnormal logistic(x).
bool is_silu(const ir::Node& node) {
  if (node.op != &ir::ops::multiply) return false;
  const auto is_gate = [](const ir::Node& gate, ir::Value x) {
    return gate.op == &ir::ops::logistic && gate.operands[0] == x;
  };
  return is_gate(*node.operands[0].node, node.operands[1]) || is_gate(*node.operands[1].node, node.operands[0]);
}

}  // namespace

std::vector<Array> elementwise_bounds(const BoundedCall& call) {
  std::vector<Array> bounds;
  const auto give = [&](Array bound) {
    bounds.push_back(std::move(bound));
    return std::move(bounds);
  };
  if (call.node.op == &ir::ops::select) return give(select_bound(call));
  if (call.node.op == &ir::ops::compare) return give(compare_bound(call));
  const Array& y = call.results[0];
  const DType dtype = y.dtype();
  const bool exact = call.all_exact();
  const double ulps = is_float(dtype) ? rounding_ulps(call.node, call.arithmetic.strict) : 0;
  const bool nan_is_unknown = shows_nan(call);
  // A product that is contracted into an addition is not rounded, so it does not overflow: a b - inf is -inf instead of NaN.
  const bool contracts = is_float(dtype) && !call.arithmetic.strict && call.node.op == &ir::ops::multiply;
  if (exact && ulps == 0 && !nan_is_unknown && !contracts) return same_bounds(call, 0);
  const bool flushes = is_float(dtype) && !call.arithmetic.strict && is_silu(call.node);
  const auto flushed = [&](std::int64_t i) {
    if (!flushes) return 0.0;
    const double x = call[0].value.element(at(call[0], i)), z = call[1].value.element(at(call[1], i));
    return 0x1p-126 * (1 + std::max(std::abs(x), std::abs(z)));
  };
  const Array change = exact ? Array(y.type().with(DType::f64)) : largest_change(call);
  return give(doubles(y.type(), [&](std::int64_t i) {
    const double c = values_of(change)[i];
    if (is_vague_at(call, i) || (nan_is_unknown && is_nan_at(call, i))) return infinity;
    if (!is_float(dtype)) return c > 0 ? infinity : 0;
    const double size = y.element(i);
    if (contracts && std::isinf(size) && !is_infinite_at(call, i)) return infinity;
    const double bound = 1.125 * c + ulps * ulp(std::abs(size) + c, dtype) + flushed(i);
    return bound > 0 && std::abs(size) + bound > largest_finite(dtype) && std::isfinite(size) ? infinity : bound;
  }));
}

}  // namespace weft::fuzz
