#include <algorithm>
#include <iostream>

#include <weft/base/convert.h>
#include <weft/base/random.h>
#include <weft/ir/interpreter/rules.h>
#include <weft/ir/interpreter/view.h>
#include <weft/ir/ops.h>

namespace weft::ir::interpreter {

namespace {

// Returns the results for one of the generators of random.h.
template <class Generator>
std::vector<Array> generated(const NodeCall& call, const Generator& generator) {
  Array state(call.type(0)), bits(call.type(1));
  const auto next = generator.next_state();
  std::copy_n(next.begin(), state.size(), state.data<std::uint64_t>().begin());
  visit_any(bits.dtype(), [&]<class T>(T) {
    std::uint64_t i = 0;
    for (T& to : bits.data<T>()) to = convert_element<T>(generator.bits(i++));
  });
  std::vector<Array> results = one(std::move(state));
  results.push_back(std::move(bits));
  return results;
}

}  // namespace

// DEFAULT is Philox, as on XLA's CPU and GPU.
std::vector<Array> rng_bit_generator(const NodeCall& call) {
  const auto state = call[0].data<std::uint64_t>();
  const int width = byte_size(call.type(1).dtype());
  if (call.attributes<RngAttributes>().algorithm == RngAlgorithm::THREE_FRY)
    return generated(call, random::Threefry(state, sizes_of(call.type(1)), width));
  return generated(call, random::Philox(state, call.type(1).elements(), width));
}

std::vector<Array> optimization_barrier(const NodeCall& call) {
  std::vector<Array> results;
  for (const Array* x : call.operands) results.push_back(*x);
  return results;
}

std::vector<Array> token(const NodeCall& call) { return one(Array(call.type())); }

std::vector<Array> probe(const NodeCall& call) {
  call.context.probes->add(call.attributes<ProbeAttributes>().name, call[0]);
  return one(call[0]);
}

std::vector<Array> expect_serialized_eq(const NodeCall& call) {
  const auto& a = call.attributes<ProbeCheckAttributes>();
  const Array seen = call.context.probes->at(a.name, a.iteration);
  require(seen == call[0], "check.expect_serialized_eq: probe ", a.name, " saw ", seen, ", expected ", call[0]);
  return {};
}

// Writes each line with a single call, so that the lines of several processes do not interleave.
std::vector<Array> print(const NodeCall& call) {
  std::cerr << concat(call[0], '\n') << std::flush;
  return {};
}

}  // namespace weft::ir::interpreter
