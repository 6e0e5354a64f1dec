// A Graph is a recorded computation: a list of nodes in which every operand comes before its use. Nodes live in the graph's arena
// and never change once appended; passes make new graphs. Not thread-safe; a finished graph may be read from many threads.
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
  const void* attribute_data;  // an instance of the struct that the op declares
  std::span<const Value> operands;
  std::span<const Type> types;  // of the results
  std::span<const Graph* const>
      regions;  // bodies of reduce, while, sort...: closed graphs, which the graph keeps alive
  Location location;
  std::uint32_t id;  // position in the graph

  Value result(std::uint32_t i = 0) { return {this, i}; }
  Value operand(int i) const { return operands[i]; }
  Type type(int i = 0) const { return types[i]; }
  // Returns the attributes; the caller knows their struct from the op.
  template <class A>
  const A& attributes() const {
    return *static_cast<const A*>(attribute_data);
  }
  // Returns the attributes if the op declares that struct, otherwise nullptr. Requires op.h.
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

  // Appends a node after checking it: infers the result types with the op's rule, or checks `types` if the rule needs them.
  // Throws Error naming the op and the shapes. The operands must belong to this graph. `attributes` are copied; regions are
  // shared.
  Node& append(const Op& op, std::span<const Value> operands, const void* attributes = nullptr,
               std::span<const Type> types = {}, std::span<const std::shared_ptr<const Graph>> regions = {});

  // Appends a copy of a node of another graph with other operands, without checking it again.
  Node& append_copy(const Node& node, std::span<const Value> operands);

  // Returns the regions of a node of this graph, for append.
  std::vector<std::shared_ptr<const Graph>> shared_regions(const Node& node) const;

  Value add_input(Type type);
  void set_outputs(std::vector<Value> outputs) { outputs_ = std::move(outputs); }

  std::span<Node* const> nodes() const { return nodes_; }
  std::span<const Value> inputs() const { return inputs_; }
  std::span<const Value> outputs() const { return outputs_; }

  // Returns a fingerprint that is updated by every append. It is equal for graphs of equal structure (ops, types, attributes,
  // regions, order); locations and outputs do not count.
  const Fingerprint& fingerprint() const { return fingerprint_; }

  // Sets the location of the nodes that are appended from now on.
  void set_location(Location location) { location_ = location; }
  const Location& location() const { return location_; }

  // Removes all nodes, inputs and outputs, but keeps the memory.
  void clear();

  Arena& arena() { return arena_; }
  std::string name = "main";
  std::vector<std::string> input_names;  // how the user calls them; missing or empty: without a name
  // Where the sizes of each input come from; missing or empty: they are those of the user's input.
  std::vector<std::vector<std::string>> input_dims;
  std::shared_ptr<const FunctionAnnotations> annotations;  // null if the function has none

 private:
  Node& push(Node& node);

  Arena arena_;
  std::vector<Node*> nodes_;
  std::vector<Value> inputs_, outputs_;
  std::vector<std::shared_ptr<const Graph>> kept_regions_;
  std::vector<Type> inferred_;  // scratch
  Fingerprint fingerprint_;
  Location location_;
};

std::vector<Type> types_of(std::span<const Value> values);

// Returns whether both graphs have the same nodes and outputs; locations are not compared.
bool structurally_equal(const Graph& a, const Graph& b);

// Returns the fingerprint of the whole graph, including its outputs.
Fingerprint fingerprint_of(const Graph& graph);

}  // namespace weft::ir
