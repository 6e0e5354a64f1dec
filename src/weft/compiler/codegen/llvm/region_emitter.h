// Emits a graph of small values as straight-line code in which every element is an SSA value. For the files that implement it:
// region_emitter.cpp (the order of nodes), region_values.cpp (what each node computes),
// region_vectors.cpp (elements in vectors).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>

#include <weft/compiler/codegen/llvm/scalar_emitter.h>
#include <weft/compiler/loop/access.h>
#include <weft/compiler/loop/while_kernel.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// The computed elements of one value in row-major order; empty for a value in memory.
using Elements = std::vector<llvm::Value*>;

// State that all regions of one function share.
struct RegionContext {
  llvm::IRBuilder<>& b;
  const Target& target;
  llvm::Function* function;
  ScalarEmitter& one;
  bool contract;
  std::span<llvm::Value* const> buffers;  // addresses of the carried values
  std::size_t unfenced = 0;               // values emitted since the last fence

  // Counts emitted values and now and then inserts a compiler fence, which costs no instruction. LLVM does not compare stores behind a
  // fence with all the loads before it.
  void count(std::size_t values);
};

class RegionEmitter {
 public:
  // `memory` says which values are in memory; null if none are.
  RegionEmitter(RegionContext& context, const ir::Graph& graph, const WhileRegion* memory);

  // Appends the code at the builder's position; returns the elements of the region's outputs.
  std::vector<Elements> emit(std::span<const Elements> inputs);

 private:
  using Value = llvm::Value;

  std::optional<std::size_t> memory_of(ir::Value v) const { return memory_ ? memory_->memory_of(v) : std::nullopt; }
  const Elements& at(ir::Value v) const { return values_[v.node->id][v.index]; }
  Value* i64(std::int64_t value) { return c_.b.getInt64(value); }

  // ---- order (region_emitter.cpp)

  // Delays nodes whose functions are long until several of the same kind can be computed together, as the lanes of a vector.
  void emit_in_order();
  static std::string lanes_key(const ir::Node& n);  // equal for nodes that may share a vector; empty: never
  void emit_together(std::span<const ir::Node* const> nodes);

  // ---- values (region_values.cpp)

  void emit(const ir::Node& n);
  Elements constant(const ir::Node& n);
  Elements iota(const ir::Node& n);
  Elements elementwise(const ir::Node& n);
  std::vector<ir::Scalar> operands_of(const ir::Node& n, std::size_t element) const;
  // Returns the elements of a value that fill a vector from `first` on; of a scalar, its only element.
  std::span<Value* const> chunk_of(ir::Value v, std::size_t first) const;
  bool reads_vectors(const ir::Node& n, std::size_t first) const;
  std::vector<ir::Scalar> vectors_of(const ir::Node& n, std::size_t first) const;
  Elements moved(const ir::Node& n);
  std::vector<Elements> reduce(const ir::Node& n);
  Elements dot(const ir::Node& n);
  Elements dynamic_slice(const ir::Node& n);
  Elements dynamic_update_slice(const ir::Node& n);
  // Returns the start indices from operand `first` on, clamped so that the window lies inside.
  std::vector<Value*> starts(const ir::Node& n, int first, Type window);
  Value* address(std::size_t carried, Type type, std::span<Value* const> starts);
  void for_each_place(Type whole, Type window, std::span<Value* const> starts, auto&& visit);
  std::vector<Elements> branch(const ir::Node& n);

  RegionContext& c_;
  const ir::Graph& graph_;
  const WhileRegion* memory_;
  std::vector<int> uses_;                      // by node
  std::vector<std::vector<Elements>> values_;  // by node and result
};

// What a loop has besides its regions: which values are in memory (null: none) and code to emit before and after each step (empty: none).
struct LoopEnds {
  const WhileRegion* condition = nullptr;
  const WhileRegion* body = nullptr;
  std::function<void(std::vector<Elements>& current)> begin = {};
  std::function<void(const std::vector<Elements>& next)> end = {};
};

// Emits a while loop whose carried values begin as `initial`; `ends` fills in the values without elements. Returns the final values.
std::vector<Elements> emit_loop(RegionContext& context, const ir::Graph& condition, const ir::Graph& body,
                                std::span<const Elements> initial, const LoopEnds& ends = {});

}  // namespace weft::compiler
