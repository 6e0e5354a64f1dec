// The custom calls that the interpreter knows: host functions (host_function.h), and the checks of StableHLO's own test programs,
// which compare a computed value (first operand) with an expected one (second operand) and have no results.
#include <bit>
#include <cmath>
#include <cstring>

#include <weft/ir/element_text.h>
#include <weft/ir/host_function.h>
#include <weft/ir/interpreter/rules.h>

namespace weft::ir::interpreter {

namespace {

// Maps consecutive floating-point numbers to consecutive integers.
template <class T>
std::int64_t position(T value) {
  using Bits =
      std::conditional_t<sizeof(T) == 2, std::int16_t, std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;
  const std::int64_t bits = std::bit_cast<Bits>(value);
  return bits >= 0 ? bits : std::numeric_limits<Bits>::min() - bits;
}

// Accepts a difference of at most 3 units in the last place. NaN equals NaN, and an infinity equals only itself.
struct Close {
  template <class T>
  bool operator()(T a, T b) const {
    if constexpr (!is_float_type<T>) {
      return a == b;
    } else if constexpr (sizeof(T) == 1) {
      const auto x = static_cast<double>(a), y = static_cast<double>(b);
      return x == y || (std::isnan(x) && std::isnan(y));
    } else {
      constexpr std::uint64_t most = 3;
      const auto x = static_cast<double>(a), y = static_cast<double>(b);
      if (!std::isfinite(x) || !std::isfinite(y)) return x == y || (std::isnan(x) && std::isnan(y));
      const std::int64_t p = position(a), q = position(b);
      return static_cast<std::uint64_t>(std::max(p, q)) - static_cast<std::uint64_t>(std::min(p, q)) <= most;
    }
  }
};

struct AlmostEqual {
  template <class T>
  bool operator()(T a, T b) const {
    constexpr double tolerance = 1e-3;
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    return x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= tolerance;
  }
};

// Compares bits: 0 differs from -0, and a NaN equals only the same NaN.
struct Equal {
  template <class T>
  bool operator()(T a, T b) const {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
  }
};

template <class Compare>
void check(const NodeCall& call, Compare fits) {
  const std::string_view target = call.attributes<CustomCallAttributes>().target;
  require(call.operands.size() == 2 && call[0].type() == call[1].type(), target, ": expected two operands of one type");
  visit_any(call[0].dtype(), [&](auto tag) {
    using T = decltype(tag);
    const auto computed = call[0].data<T>(), expected = call[1].data<T>();
    for (std::size_t i = 0; i < computed.size(); ++i)
      if (!fits(computed[i], expected[i]))
        fail(target, ": element ", i, " of ", call[0].type(), " is ",
             element_text(call[0], static_cast<std::int64_t>(i)), ", expected ",
             element_text(call[1], static_cast<std::int64_t>(i)));
  });
}

std::vector<Array> call_host(const HostFunction& function, const NodeCall& call) {
  std::vector<HostInput> inputs;
  for (const Array* operand : call.operands) inputs.push_back({operand->type(), operand->bytes().data()});
  std::vector<Array> results;
  for (const Type type : call.node.types) results.emplace_back(type);
  std::vector<HostOutput> outputs;
  for (Array& result : results) outputs.push_back({result.type(), result.bytes().data()});
  const std::string_view config = call.attributes<CustomCallAttributes>().backend_config;
  function.run({inputs, outputs, config, call.context.options.host_context});
  return results;
}

}  // namespace

std::vector<Array> custom_call(const NodeCall& call) {
  const std::string_view target = call.attributes<CustomCallAttributes>().target;
  if (const HostFunction* function = find_host_function(target)) return call_host(*function, call);
  if (target == "check.expect_eq")
    check(call, Equal());
  else if (target == "check.expect_close")
    check(call, Close());
  else if (target == "check.expect_almost_eq")
    check(call, AlmostEqual());
  else
    fail(no_host_function(target));
  return {};
}

}  // namespace weft::ir::interpreter
