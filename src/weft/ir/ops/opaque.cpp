#include <weft/ir/ops.h>
#include <weft/ir/ops/rules.h>

namespace weft::ir {

void rng_bit_generator_type(const Call& call, std::vector<Type>& results) {
  const Type state = call.type(0);
  require_domain(call, 0);
  call.require(state.rank() == 1, "the state must have rank 1, got ", state);
  const std::int64_t words = state.size(0);
  const bool three_fry = call.attributes<RngAttributes>().algorithm == RngAlgorithm::THREE_FRY;
  call.require(words == 2 || (words == 3 && !three_fry), "the state must have 2 elements", three_fry ? "" : " or 3",
               ", got ", state);
  call.require(call.requested.size() == 2, "the types of state and bits must be given");
  call.require(is_integer(call.requested[1].dtype()), "bits must be integers, got ", call.requested[1]);
  results.push_back(state);
  results.push_back(call.requested[1]);
}

void optimization_barrier_type(const Call& call, std::vector<Type>& results) {
  for (const Value v : call.operands) results.push_back(v.type());
}

void custom_call_type(const Call& call, std::vector<Type>& results) {
  results.assign(call.requested.begin(), call.requested.end());
}

// The cotangents pass a barrier of their own, so that the backward pass is kept in order like the forward one.
void optimization_barrier_gradient(const GradientCall& c) {
  std::vector<Value> present;
  for (const Value v : c.cotangents)
    if (v) present.push_back(v);
  const std::vector<Value> held = optimization_barrier(present);
  std::size_t at = 0;
  for (std::size_t i = 0; i < c.cotangents.size(); ++i)
    if (c.cotangents[i]) c.add(static_cast<int>(i), held[at++]);
}

}  // namespace weft::ir
