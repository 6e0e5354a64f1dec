// Grows a graph, or a region of one, node by node.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <weft/fuzz/bounded_rules.h>
#include <weft/fuzz/random.h>
#include <weft/ir/builder.h>
#include <weft/ir/op.h>

namespace weft::fuzz {

using Dims = std::vector<std::int64_t>;

class Grower {
 public:
  // Properties of a graph, drawn once per graph.
  struct Style {
    std::int64_t elements = 300;  // at most, per value
    int depth = 2;                // nesting depth of regions with bodies of their own
    bool wild = false;            // constants cover the whole range of their dtype
  };

  // `values` are the values that are available as operands. With `takes_inputs`, the graph may get more inputs.
  Grower(ir::Graph& graph, Random& random, const Style& style, std::span<const ir::Value> values, bool takes_inputs);

  // Appends about `nodes` nodes.
  void grow(int nodes);

  ir::Graph& graph() { return graph_; }
  Random& random() { return random_; }
  const Style& style() const { return style_; }
  std::span<const ir::Value> values() const { return values_; }

  // Makes a value available as an operand, unless it is too large.
  void add(ir::Value value);
  void add(std::span<const ir::Value> values);

  // Returns an available value, later ones more often. If there is none with a dtype of the set, one is converted.
  ir::Value any();
  ir::Value any(ir::DTypes set);
  // Like any(), with at least this rank.
  ir::Value any_of_rank(int rank, ir::DTypes set = ir::all_dtypes);
  // Returns a value of this type: an available one, a new input, a constant, or another value reshaped, cut, padded or converted.
  ir::Value fitted(Type type);
  ir::Value fitted(DType dtype, std::span<const std::int64_t> sizes) { return fitted(type_of(dtype, sizes)); }
  // Returns integers to use as positions; most of them lie in [0, size).
  ir::Value positions(Type type, std::int64_t size);

  ir::Value random_constant(Type type);
  DType random_dtype(ir::DTypes set = ir::all_dtypes);
  DType random_index_dtype();
  Dims random_sizes(int low_rank, int high_rank);
  std::int64_t random_size();
  // Returns some of the dimensions of a value of this rank, in order.
  Dims random_dimensions(int rank);

  // Returns a closed graph with these input and output types, grown by about `nodes` nodes.
  std::shared_ptr<const ir::Graph> random_region(std::span<const Type> inputs, std::span<const Type> outputs,
                                                 int nodes);
  bool may_nest() const { return style_.depth > 0; }

  static Type type_of(DType dtype, std::span<const std::int64_t> sizes);
  static Dims sizes_of(Type type);

 private:
  ir::Value adapted(ir::Value x, Type type);
  ir::Value resized(ir::Value x, Type type);
  void grow_one();

  ir::Graph& graph_;
  Random& random_;
  Style style_;
  std::vector<ir::Value> values_;
  bool takes_inputs_;
};

// Appends a call of one op to the graph that `g` grows. May throw Error if the random choices do not permit a valid call.
using Recipe = void (*)(Grower& g, const ir::Op& op);

// The recipe of an op; nullptr if it has none and is not elementwise.
Recipe find_recipe(const ir::Op& op);

// Describes an op whose declaration does not say how to call it, or whose bounds are not those of its kind.
struct FuzzEntry {
  const ir::Op* op;
  Recipe recipe;
  BoundRule bounds = nullptr;  // nullptr: the rule of its kind
};
const FuzzEntry* find_entry(const ir::Op& op);  // nullptr if there is none

// The entries by kind; they are in the files *_recipes.cpp of these names.
extern const std::span<const FuzzEntry> elementwise_entries, shape_entries, reduction_entries, contraction_entries,
    indexing_entries, control_entries, source_entries, opaque_entries, embedding_entries;
void grow_elementwise(Grower& g, const ir::Op& op);  // uses only the op table
void grow_gather(Grower& g, const ir::Op& op);       // both are in indexing_entries
void grow_scatter(Grower& g, const ir::Op& op);

// Returns an op that can fold elements of this dtype: binary, commutative, elementwise.
const ir::Op& random_fold(Grower& g, DType dtype);

}  // namespace weft::fuzz
