// Generated from the op table: every node of the samples, computed in shards along each of its factors, gives the bits of the whole, and
// is linear where its op says so.
#include <cmath>
#include <tests/ir/op_samples.h>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/localize.h>
#include <weft/ir/ops.h>
#include <weft/ir/shards.h>
#include <weft/ir/verify.h>

namespace weft::ir {
namespace {

// Rounds to integers, so that sums are exact in any order.
Array rounded(Array array) {
  if (!is_float(array.dtype())) return array;
  visit(array.dtype(), [&]<class T>(T) {
    if constexpr (!std::is_integral_v<T>)
      for (T& x : array.data<T>()) x = static_cast<T>(std::round(static_cast<double>(x)));
  });
  return array;
}

// Replaces zeros of floats by ones.
void replace_zeros(Array& array) {
  if (!is_float(array.dtype())) return;
  visit(array.dtype(), [&]<class T>(T) { std::ranges::replace(array.data<T>(), T{}, static_cast<T>(1)); });
}

struct Evaluated {
  const Node* node;
  std::vector<Array> operands;
};

// Returns the sample's node with the values of its operands; no node if it is in a region.
Evaluated evaluate(const OpSample& sample, const Op& op, std::span<const Array> inputs) {
  std::vector<std::vector<Array>> values(sample.graph->nodes().size());
  for (Node* node : sample.graph->nodes()) {
    if (is_parameter(*node)) {
      values[node->id] = {inputs[node->attributes<ParameterAttributes>().index]};
      continue;
    }
    std::vector<Array> operands;
    for (const Value v : node->operands) operands.push_back(values[v.node->id][v.index]);
    if (node->op == &op) return {node, std::move(operands)};
    values[node->id] = interpret_node(*node, operands);
  }
  return {nullptr, {}};
}

bool is_split_by_factors(const Op& op) { return op.factors || op.kind == Kind::elementwise; }

std::vector<Array> exact_inputs(const OpSample& sample, const Op& op, const Node& node) {
  std::vector<Array> inputs = random_inputs(sample);
  const auto sums = [](const Factor& f) { return f.kind == Factor::Kind::reduced; };
  if (std::ranges::any_of(factors_of(node).all, sums) || op.linear)
    for (Array& input : inputs) input = rounded(std::move(input));
  return inputs;
}

// Returns what each device has of a tensor: its shard, with the elements before and after it to which windows reach.
std::vector<Array> shards_with_halos(const Evaluated& whole, int operand, const Sharding& sharding,
                                     const Factors& factors, const FactorAxes& axes) {
  std::vector<Halo> halos;
  std::ranges::copy_if(factors.halos, std::back_inserter(halos),
                       [&](const Halo& h) { return h.operand == operand && !axes[h.factor].empty(); });
  const Array& x = whole.operands[operand];
  if (halos.empty()) return shards_of(x, sharding);
  const int rank = x.type().rank();
  std::vector<std::int64_t> before(rank), after(rank), none(rank), ones(rank, 1);
  for (const Halo& h : halos) {
    before[h.dim] = h.before;
    after[h.dim] = h.after;
  }
  std::vector<Array> shards;
  for (std::int64_t device = 0; device < sharding.mesh().devices(); ++device) {
    Graph graph;
    std::vector<Array> inputs{x};
    const Value all = graph.add_input(x.type());
    const int beyond = halos.front().beyond;
    if (beyond >= 0) inputs.push_back(whole.operands[beyond]);
    const Value fill = beyond >= 0 ? graph.add_input(inputs.back().type()) : constant(graph, Type(x.dtype(), {}), 0);
    const Value padded = pad(all, fill, before, after, none);
    std::vector<std::int64_t> start, limit;
    for (int d = 0; d < rank; ++d) {
      const std::int64_t size = x.type().size(d) / sharding.shards(d);
      start.push_back(size * sharding.shard(d, device));
      limit.push_back(start.back() + before[d] + size + after[d]);
    }
    graph.set_outputs({slice(padded, start, limit, ones)});
    shards.push_back(interpret(graph, inputs).front());
  }
  return shards;
}

// Makes zeros positive.
Array without_negative_zeros(Array array) {
  if (!is_float(array.dtype())) return array;
  visit(array.dtype(), [&]<class T>(T) {
    if constexpr (is_float_type<T>) std::ranges::replace(array.data<T>(), T{}, T{});
  });
  return array;
}

class ShardedOps : public ::testing::TestWithParam<const Op*> {
 protected:
  // Computes the node on every device of the mesh and compares with the whole. Returns false if the axes are no shardings of it.
  static bool check(const Evaluated& whole, const std::vector<Array>& expected, const Factors& factors,
                    const Mesh& mesh, const FactorAxes& axes) {
    const Node& node = *whole.node;
    std::vector<std::vector<Array>> operands;  // of each operand, the shard of each device
    for (int i = 0; i < std::ssize(node.operands); ++i) {
      const auto sharding = factors.operand_sharding(i, node, mesh, axes);
      if (!sharding) return false;
      operands.push_back(shards_with_halos(whole, i, *sharding, factors, axes));
    }
    for (int i = 0; i < std::ssize(node.types); ++i)
      if (!factors.result_sharding(i, mesh, axes)) return false;

    std::vector<std::vector<Array>> results(node.types.size());
    for (std::int64_t device = 0; device < mesh.devices(); ++device) {
      Graph local;
      std::vector<Value> inputs;
      std::vector<Array> arrays;
      for (const auto& shards : operands) {
        inputs.push_back(local.add_input(shards[device].type()));
        arrays.push_back(shards[device]);
      }
      local.set_outputs(append_local(local, node, inputs, factors, mesh, axes, [&](int axis) {
        return constant(local, Type(DType::i64, {}), static_cast<double>(mesh.coordinate(device, axis)));
      }));
      verify(local);
      auto computed = interpret(local, arrays);
      for (std::size_t i = 0; i < results.size(); ++i) results[i].push_back(std::move(computed[i]));
    }
    // Where a device has no id of a row, its part is +0.
    const bool has_signs = node.op != &ops::embedding_bag_gradient && node.op != &ops::embedding_weights_gradient;
    for (int i = 0; i < std::ssize(node.types); ++i) {
      const Sharding sharding = *factors.result_sharding(i, mesh, axes);
      const Array all = assemble(results[i], sharding, node.type(i));
      if (has_signs || sharding.partial().empty())
        EXPECT_EQ(all, expected[i]);
      else
        EXPECT_EQ(without_negative_zeros(all), without_negative_zeros(expected[i]));
    }
    return true;
  }
};

bool divides(std::int64_t devices, const Factor& factor) {
  return factor.kind != Factor::Kind::whole && factor.size.value() % devices == 0;
}

TEST_P(ShardedOps, GiveTheBitsOfTheWhole) {
  const Op& op = *GetParam();
  int cases = 0;
  for (const OpSample& sample : samples(op)) {
    const Evaluated first = evaluate(sample, op, random_inputs(sample));
    if (!first.node) continue;  // in a region, whose values are scalars
    const Evaluated whole = evaluate(sample, op, exact_inputs(sample, op, *first.node));
    const auto expected = interpret_node(*whole.node, whole.operands);
    const Factors factors = factors_of(*whole.node);
    SCOPED_TRACE(concat(sample.name, ": ", factors));
    for (const std::int64_t major : {1, 2, 3})
      for (const std::int64_t minor : {2, 3, 4, 5}) {
        const Mesh mesh{{"major", major}, {"minor", minor}};
        for (int a = 0; a < std::ssize(factors.all); ++a)
          for (int b = 0; b < std::ssize(factors.all); ++b) {
            FactorAxes axes(factors.all.size());
            axes[a].push_back(0);
            axes[b].push_back(1);
            if (major == 1 && a != 0) continue;  // the first axis splits nothing
            if (!divides(devices_along(mesh, axes[a]), factors.all[a]) ||
                !divides(devices_along(mesh, axes[b]), factors.all[b]))
              continue;
            SCOPED_TRACE(concat("over ", mesh, ": letters ", a, " and ", b));
            cases += check(whole, expected, factors, mesh, axes);
          }
      }
  }
  RecordProperty("cases", cases);
  EXPECT_EQ(cases > 0, op.factors != no_factors) << op.name << ": no sample has a dimension that can be split";
}

// Returns the sums of corresponding operands where `add` says so, otherwise the operands of `a`.
std::vector<Array> added(std::span<const Array> a, std::span<const Array> b, const std::vector<bool>& add) {
  std::vector<Array> sums(a.begin(), a.end());
  const Mesh pair{{"x", 2}};
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!add[i]) continue;
    const std::vector<Array> parts{a[i], b[i]};
    std::vector<Sharding::Axes> dims(a[i].type().rank());
    sums[i] = assemble(parts, Sharding(pair, std::move(dims), {{0, Reduction::sum}}), a[i].type());
  }
  return sums;
}

void expect_close(const Array& computed, const Array& expected) {
  ASSERT_EQ(computed.type(), expected.type());
  if (!is_float(computed.dtype())) {
    EXPECT_EQ(computed, expected);
    return;
  }
  const double epsilon = computed.dtype() == DType::bf16 ? 0x1p-6 : computed.dtype() == DType::f16 ? 0x1p-9 : 1e-5;
  for (std::int64_t i = 0; i < computed.size(); ++i)
    EXPECT_NEAR(computed.element(i), expected.element(i), epsilon * (1 + std::abs(expected.element(i))))
        << "element " << i;
}

TEST_P(ShardedOps, AreLinearWhereTheyClaimIt) {
  const Op& op = *GetParam();
  if (!op.linear) return;
  for (const OpSample& sample : samples(op)) {
    std::vector<Array> inputs = random_inputs(sample, 1), others = random_inputs(sample, 2);
    for (auto* list : {&inputs, &others})
      for (Array& input : *list) input = rounded(std::move(input));
    Evaluated a = evaluate(sample, op, inputs);
    const Evaluated b = evaluate(sample, op, others);
    if (!a.node) continue;
    SCOPED_TRACE(sample.name);
    const auto check = [&](const std::vector<bool>& parts) {
      std::vector<Array> second = a.operands;
      for (std::size_t i = 0; i < parts.size(); ++i)
        if (parts[i]) second[i] = b.operands[i];
      const auto of_sum = interpret_node(*a.node, added(a.operands, b.operands, parts)),
                 of_a = interpret_node(*a.node, a.operands), of_b = interpret_node(*a.node, second);
      const auto sums = added(of_a, of_b, std::vector<bool>(of_a.size(), true));
      for (std::size_t i = 0; i < sums.size(); ++i) expect_close(of_sum[i], sums[i]);
    };
    for (int i = 0; i < std::ssize(a.operands); ++i)
      if (op.linear(*a.node, i) == Linearity::none) replace_zeros(a.operands[i]);  // it may be a divisor
    std::vector<bool> together(a.operands.size());
    for (int i = 0; i < std::ssize(a.operands); ++i) {
      if (a.operands[i].dtype() == DType::boolean) continue;  // has no sums
      const Linearity linearity = op.linear(*a.node, i);
      together[i] = linearity == Linearity::together;
      if (linearity != Linearity::alone) continue;
      std::vector<bool> alone(a.operands.size());
      alone[i] = true;
      check(alone);
    }
    if (std::ranges::count(together, true) != 0) check(together);
  }
}

std::vector<const Op*> split_ops() {
  std::vector<const Op*> split;
  std::ranges::copy_if(ops::table, std::back_inserter(split),
                       [](const Op* op) { return is_split_by_factors(*op) && op != &ops::custom_call; });
  return split;
}

INSTANTIATE_TEST_SUITE_P(Table, ShardedOps, ::testing::ValuesIn(split_ops()),
                         [](const auto& instance) { return std::string(instance.param->name); });

}  // namespace
}  // namespace weft::ir
