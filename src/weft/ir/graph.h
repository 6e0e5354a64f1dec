// A Graph is a recorded computation: nodes in an order in which every operand comes before its use. Nodes live in the graph's
// arena and are never changed once appended; passes make new graphs. Not thread-safe; a finished graph may be read from many
// threads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <weft/base/arena.h>
#include <weft/base/hash.h>
#include <weft/base/type.h>
#include <weft/ir/annotations.h>
#include <weft/ir/attributes.h>
#include <weft/ir/value.h>

namespace weft::ir {

struct Op;

struct Node {
  const Op* op;
  Graph* graph;
  const void* attribute_data;  // of the struct that the op declares
  std::span<const Value> operands;
  std::span<const Type> types;  // of the results
  std::span<const Graph* const>
      regions;  // bodies of reduce, while, sort...: closed graphs, owned elsewhere and kept alive by the graph
  Location location;
  std::uint32_t id;  // position in the graph

  Value result(std::uint32_t i = 0) { return {this, i}; }
  Value operand(int i) const { return operands[i]; }
  Type type(int i = 0) const { return types[i]; }
  // The attributes, whose struct the caller knows from the op.
  template <class A>
  const A& attributes() const {
    return *static_cast<const A*>(attribute_data);
  }
  // The same if the op declares that struct, else nullptr. For those who include op.h.
  template <class A>
  const A* attributes_if() const;
};

inline Type Value::type() const { return node->types[index]; }
inline Graph& Value::graph() const { return *node->graph; }
inline DType Value::dtype() const { return type().dtype(); }
inline int Value::rank() const { return type().rank(); }
inline std::int64_t Value::size(int dim) const { return type().size(dim); }

class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Appends a node after checking it: infers the result types with the op's rule, or checks `types` where the rule needs them
  // to be given. Throws Error naming the op and the shapes. Operands must be of this graph. `attributes` may die afterwards;
  // regions are shared.
  Node& append(const Op& op, std::span<const Value> operands, const void* attributes = nullptr,
               std::span<const Type> types = {}, std::span<const std::shared_ptr<const Graph>> regions = {});

  // Appends a copy of a node of another graph with other operands; nothing is checked again.
  Node& append_copy(const Node& node, std::span<const Value> operands);

  Value add_input(Type type);
  void set_outputs(std::vector<Value> outputs) { outputs_ = std::move(outputs); }

  std::span<Node* const> nodes() const { return nodes_; }
  std::span<const Value> inputs() const { return inputs_; }
  std::span<const Value> outputs() const { return outputs_; }

  // Rolls with every append: equal for graphs of equal structure (ops, types, attributes, regions, order), locations aside.
  // Outputs are not part of it.
  const Fingerprint& fingerprint() const { return fingerprint_; }

  // The place given to nodes appended from now on.
  void set_location(Location location) { location_ = location; }
  const Location& location() const { return location_; }

  // Forgets all nodes, inputs and outputs, keeping the memory.
  void clear();

  Arena& arena() { return arena_; }
  std::string name = "main";
  std::shared_ptr<const FunctionAnnotations> annotations;  // null: nothing is said beside what is computed

 private:
  Node& push(Node node);

  Arena arena_;
  std::vector<Node*> nodes_;
  std::vector<Value> inputs_, outputs_;
  std::vector<std::shared_ptr<const Graph>> kept_regions_;
  std::vector<Type> inferred_;  // scratch
  Fingerprint fingerprint_;
  Location location_;
};

std::vector<Type> types_of(std::span<const Value> values);

// Same structure, node by node, and the same outputs; locations are not compared.
bool structurally_equal(const Graph& a, const Graph& b);

// Identity of the whole graph, outputs included.
Fingerprint fingerprint_of(const Graph& graph);

}  // namespace weft::ir
