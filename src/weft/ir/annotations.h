// Annotations: attributes of a program that do not change its results but are kept for later readers. They say which arguments
// may be overwritten (tf.aliasing_output, jax.buffer_donor), how values are placed on devices (sdy.sharding, mhlo.sharding), and
// what results are called (jax.result_info). They are immutable once a graph has them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace weft::ir {

class Graph;

// An attribute as MLIR writes it, with aliases resolved: sdy.sharding, #sdy.sharding<@mesh, [{"x"}, {}]>.
struct Annotation {
  std::string name;
  std::string value;  // empty for a unit attribute, which is either present or absent

  friend bool operator==(const Annotation&, const Annotation&) = default;
};
using Annotations = std::vector<Annotation>;

struct ModuleAnnotations {
  std::string name;  // the module's name; may be empty
  Annotations attributes;
  Annotations meshes;  // sdy.mesh @name = value
};

struct FunctionAnnotations {
  std::shared_ptr<const ModuleAnnotations> module = {};
  Annotations attributes = {};
  std::vector<Annotations> arguments = {}, results = {};      // one entry each
  std::unordered_map<std::uint32_t, Annotations> nodes = {};  // by Node::id, only nodes that have any; passes drop them
};

// Returns, for each input, whether the caller donates it, so that an output may reuse its memory. What the caller offers for any output
// (jax.buffer_donor) is not taken if no output of its size is left: the caller then keeps the array, as with XLA.
std::vector<bool> donated_inputs(const Graph& function);

}  // namespace weft::ir
