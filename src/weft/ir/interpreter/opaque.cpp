#include <algorithm>

#include <weft/base/convert.h>
#include <weft/base/random.h>
#include <weft/ir/interpreter/rules.h>
#include <weft/ir/interpreter/view.h>
#include <weft/ir/ops.h>

namespace weft::ir::interpreter {

namespace {

// The results for one of the generators of random.h.
template <class Generator>
std::vector<Array> generated(const NodeCall& call, const Generator& generator) {
  Array state(call.type(0)), bits(call.type(1));
  const auto next = generator.next_state();
  std::copy_n(next.begin(), state.size(), state.data<std::uint64_t>().begin());
  visit(bits.dtype(), [&]<class T>(T) {
    std::uint64_t i = 0;
    for (T& to : bits.data<T>()) to = convert_element<T>(generator.bits(i++));
  });
  std::vector<Array> results = one(std::move(state));
  results.push_back(std::move(bits));
  return results;
}

// DEFAULT is Philox, as on XLA's CPU and GPU.
std::vector<Array> rng_bit_generator(const NodeCall& call) {
  const auto state = call[0].data<std::uint64_t>();
  const int width = byte_size(call.type(1).dtype());
  if (call.attributes<RngAttributes>().algorithm == RngAlgorithm::THREE_FRY)
    return generated(call, random::Threefry(state, sizes_of(call.type(1)), width));
  return generated(call, random::Philox(state, static_cast<std::uint64_t>(call.type(1).elements()), width));
}

std::vector<Array> optimization_barrier(const NodeCall& call) {
  std::vector<Array> results;
  for (const Array* x : call.operands) results.push_back(*x);
  return results;
}

constexpr RuleEntry table[] = {{&ops::rng_bit_generator, rng_bit_generator},
                               {&ops::optimization_barrier, optimization_barrier},
                               {&ops::custom_call, custom_call_rule}};

}  // namespace

constinit const std::span<const RuleEntry> opaque_rules = table;

}  // namespace weft::ir::interpreter
