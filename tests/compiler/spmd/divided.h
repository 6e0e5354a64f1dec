// Programs for tests of divided programs, and their comparison with the unsplit ones.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weft/base/random.h>
#include <weft/compiler/on_mesh.h>
#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>
#include <weft/ir/verify.h>
#include <weft/runtime/cpu/cpu_device.h>

namespace weft::compiler {

using ir::Mesh;
using ir::Sharding;
using ir::Value;

inline const Mesh eight{{"data", 8}};
inline const Mesh grid{{"data", 4}, {"model", 2}};

struct ShardedProgram {
  ir::Graph graph;
  std::vector<Sharding> shardings;
  std::vector<std::optional<Sharding>> outputs;

  Value input(Type type, Sharding sharding) {
    shardings.push_back(std::move(sharding));
    return graph.add_input(type);
  }
};

inline Type f32(std::initializer_list<Dim> dims) { return Type(DType::f32, dims); }

inline Value dot(Value a, Value b) {
  const std::int64_t zero = 0, one = 1;
  return ir::dot_general(
      a, b, {.lhs_batching = {}, .rhs_batching = {}, .lhs_contracting = {&one, 1}, .rhs_contracting = {&zero, 1}});
}

inline std::vector<ir::Array> small_integers(const ir::Graph& graph) {
  std::vector<ir::Array> inputs;
  std::uint64_t state = 1;
  for (const Value input : graph.inputs()) {
    ir::Array& array = inputs.emplace_back(input.type());
    visit(array.dtype(), [&]<class T>(T) {
      for (T& x : array.data<T>()) {
        state = mix(state, 7);
        x = static_cast<T>(static_cast<double>(state % 5) - 2);
      }
    });
  }
  return inputs;
}

// Compares the program on a mesh, compiled and interpreted, with the unsplit one. Returns the collectives: name, axes and bytes sent by each device.
inline std::vector<std::string> expect_same(const ShardedProgram& program, const Mesh& mesh, double tolerance = 0) {
  const Partitioned divided = partition(program.graph, mesh, program.shardings, program.outputs);
  ir::verify(*divided.graph);
  const auto inputs = small_integers(program.graph);
  const auto expected = ir::interpret(program.graph, inputs);
  const auto expect = [&](const std::vector<ir::Array>& computed, const char* how) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (tolerance == 0) {
        EXPECT_EQ(computed[i], expected[i]) << how << ", output " << i;
        continue;
      }
      for (std::int64_t e = 0; e < expected[i].size(); ++e)
        EXPECT_NEAR(computed[i].element(e), expected[i].element(e), tolerance * (1 + std::abs(expected[i].element(e))))
            << how << ", output " << i << ", element " << e;
    }
  };
  expect(interpret_on_mesh(divided, inputs), "interpreted");
  const auto compiled = compile_for_mesh(divided, {});
  expect(run_on_mesh(compiled, runtime::cpu(), inputs), "compiled");
  std::vector<std::string> collectives;
  for (const Communication& c : divided.communications) {
    std::string axes;
    for (const int axis : c.axes) axes += " " + mesh.axes()[axis].name;
    collectives.push_back(concat(c.node->op->name, axes, " ", c.sent_bytes, c.times > 1 ? concat(" x ", c.times) : ""));
  }
  return collectives;
}

}  // namespace weft::compiler
