// What a program says beside what it computes: attributes that change no result, kept for those who read the program next. Which
// arguments may be overwritten (tf.aliasing_output, jax.buffer_donor), how values lie on devices (sdy.sharding, mhlo.sharding),
// what results are called (jax.result_info). Immutable once a graph has them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace weft::ir {

// An attribute as MLIR writes it, aliases resolved: sdy.sharding, #sdy.sharding<@mesh, [{"x"}, {}]>.
struct Annotation {
  std::string name;
  std::string value;  // empty: a unit attribute, which is there or not

  friend bool operator==(const Annotation&, const Annotation&) = default;
};
using Annotations = std::vector<Annotation>;

struct ModuleAnnotations {
  std::string name;  // of the module; may be empty
  Annotations attributes;
  Annotations meshes;  // sdy.mesh @name = value
};

struct FunctionAnnotations {
  std::shared_ptr<const ModuleAnnotations> module = {};
  Annotations attributes = {};
  std::vector<Annotations> arguments = {}, results = {};      // one each
  std::unordered_map<std::uint32_t, Annotations> nodes = {};  // of those that have any, by Node::id; passes drop them
};

// Per argument: whether the caller gives its bytes away, so that an output may take them over.
std::vector<bool> donated_arguments(const FunctionAnnotations& function);

}  // namespace weft::ir
