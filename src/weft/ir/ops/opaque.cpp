#include <weft/ir/ops/opaque.h>

#include <algorithm>
#include <utility>

#include <weft/ir/factors.h>
#include <weft/ir/host_calls.h>
#include <weft/ir/host_function.h>
#include <weft/ir/ops/gradients.h>
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

void custom_call_factors(const Node& node, Factors& f) {
  const int batch = batch_dims(node.attributes<CustomCallAttributes>().backend_config);
  std::vector<std::pair<Type, std::vector<DimFactors>*>> batched;
  const auto add = [&](Type type, std::vector<DimFactors>& dims) {
    if (type.rank() >= batch) batched.emplace_back(type, &dims);
  };
  for (std::size_t i = 0; i < node.operands.size(); ++i) add(node.operands[i].type(), f.operands[i]);
  for (std::size_t i = 0; i < node.types.size(); ++i) add(node.types[i], f.results[i]);
  for (int d = 0; d < batch && !batched.empty(); ++d) {
    const Dim size = batched.front().first.dim(d);
    if (!std::ranges::all_of(batched, [&](const auto& one) { return one.first.dim(d) == size; })) return;
    const int letter = f.add(size);
    for (const auto& [type, dims] : batched) (*dims)[d] = {letter};
  }
}

// The cotangents pass through a barrier of their own, so that the backward pass is ordered like the forward pass.
void optimization_barrier_gradient(const GradientCall& c) {
  std::vector<Value> present;
  for (const Value v : c.cotangents)
    if (v) present.push_back(v);
  const std::vector<Value> held = optimization_barrier(present);
  std::size_t at = 0;
  for (std::size_t i = 0; i < c.cotangents.size(); ++i)
    if (c.cotangents[i]) c.add(i, held[at++]);
}

// A single call of the function's gradient returns the cotangents of all floating-point operands.
void custom_call_gradient(const GradientCall& c) {
  const HostFunction* const function = find_host_function(c.node.attributes<CustomCallAttributes>().target);
  if (!function || !function->gradient()) return not_differentiable(c);
  std::vector<Value> operands(c.node.operands.begin(), c.node.operands.end());
  for (std::uint32_t i = 0; i < c.node.types.size(); ++i) operands.push_back(c.y(i));
  for (std::size_t i = 0; i < c.cotangents.size(); ++i)
    operands.push_back(c.cotangents[i] ? c.cotangents[i] : zeros_like(c.y(i)));
  std::vector<Type> types;
  for (const Value v : c.node.operands)
    if (is_float(v.dtype())) types.push_back(v.type());
  const CustomCallAttributes attributes{.target = function->gradient()->name()};
  Node& made = c.node.graph->append(ops::custom_call, operands, &attributes, types);
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < c.node.operands.size(); ++i)
    if (is_float(c.node.operands[i].dtype())) c.add(i, made.result(at++));
}

}  // namespace weft::ir
