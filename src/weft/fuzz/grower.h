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
  // What a graph may hold, drawn once for each.
  struct Style {
    std::int64_t elements = 300;  // of one value, at most
    int depth = 2;                // of regions with bodies of their own
    bool wild = false;            // constants of the whole range of their dtype
  };

  // `values` are what there is to compute with. With `takes_inputs` the graph may get more inputs.
  Grower(ir::Graph& graph, Random& random, const Style& style, std::span<const ir::Value> values, bool takes_inputs);

  // Appends about `nodes` nodes.
  void grow(int nodes);

  ir::Graph& graph() { return graph_; }
  Random& random() { return random_; }
  const Style& style() const { return style_; }
  std::span<const ir::Value> values() const { return values_; }

  // Makes a value one to compute with, unless it is too large.
  void add(ir::Value value);
  void add(std::span<const ir::Value> values);

  // A value there is, later ones more often; of a dtype of the set, converted if there is none.
  ir::Value any();
  ir::Value any(ir::DTypes set);
  // Of at least this rank.
  ir::Value any_of_rank(int rank, ir::DTypes set = ir::all_dtypes);
  // A value of this type: one there is, a new input, a constant, or another one reshaped, cut, padded or converted.
  ir::Value fitted(Type type);
  ir::Value fitted(DType dtype, std::span<const std::int64_t> sizes) { return fitted(type_of(dtype, sizes)); }
  // Integers of which most lie in [0, size): positions.
  ir::Value positions(Type type, std::int64_t size);

  ir::Value random_constant(Type type);
  DType random_dtype(ir::DTypes set = ir::all_dtypes);
  DType random_index_dtype();
  Dims random_sizes(int low_rank, int high_rank);
  std::int64_t random_size();
  // Some of the dimensions of a rank, in order.
  Dims random_dimensions(int rank);

  // A closed graph of these inputs and output types, grown by about `nodes` nodes.
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

// Appends a call of one op to what `g` grows. May throw Error when the dice fall so that there is none.
using Recipe = void (*)(Grower& g, const ir::Op& op);

// The recipe of an op; nullptr if it has none and is not elementwise.
Recipe find_recipe(const ir::Op& op);

// What there is to know of an op whose declaration does not tell how to call it, or whose bounds are not those of its kind.
struct FuzzEntry {
  const ir::Op* op;
  Recipe recipe;
  BoundRule bounds = nullptr;  // nullptr: its kind's
};
const FuzzEntry* find_entry(const ir::Op& op);  // nullptr if there is none

// By kind, in the files *_recipes.cpp of these names.
extern const std::span<const FuzzEntry> elementwise_entries, shape_entries, reduction_entries, contraction_entries,
    indexing_entries, control_entries, source_entries, opaque_entries;
void grow_elementwise(Grower& g, const ir::Op& op);  // by the op table alone
void grow_gather(Grower& g, const ir::Op& op);       // both of indexing_entries
void grow_scatter(Grower& g, const ir::Op& op);

// An op that can fold elements of this dtype: binary, commutative, elementwise.
const ir::Op& random_fold(Grower& g, DType dtype);

}  // namespace weft::fuzz
