// A specialisation of a compiled function: the guards that a call must satisfy to be a replay, the sources of the
// program's inputs, and the destinations of its results.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weft/base/hash.h>
#include <weft/ir/place_text.h>
#include <weft/jit/aliases.h>
#include <weft/jit/invocation.h>
#include <weft/jit/leaves.h>
#include <weft/jit/outside_gradient.h>
#include <weft/jit/place.h>
#include <weft/record/backend.h>
#include <weft/record/lifetime.h>
#include <weft/record/plan_cache.h>
#include <weft/runtime/device.h>
#include <weft/tensor/autocast.h>
#include <weft/tensor/random.h>

namespace weft::jit {

// What a program is compiled for besides its graph.
struct Context {
  const runtime::Device* device = nullptr;
  bool strict = false, fuse = true;
  record::Backend backend = record::Backend::compiled;
  std::optional<DType> autocast;
  std::optional<ir::Mesh> mesh;

  static Context now();
  friend bool operator==(const Context&, const Context&) = default;
};

// A number that each launch reads or draws anew.
struct Number {
  std::uint32_t index;  // in the immediates
  DType dtype = DType::f64;
  std::int32_t leaf = -1;          // the argument that holds it, or -1
  const Scalar* scalar = nullptr;  // the captured Scalar that holds it, or null
  std::int32_t generator = -1;     // the generator of the key (its draw number `draw` in the call), or -1
  std::uint64_t draw = 0;
};

// A value that a replay does not update.
struct Frozen {
  enum class Kind : std::uint8_t { tensor, key, number };
  Kind kind;
  std::size_t input;
  double value = 0;  // of a number
};

// The random keys that a call draws from a generator.
struct Draws {
  random::Generator* generator;  // null: the generator of the calling thread
  std::uint64_t count;

  random::Generator& of_this_thread() const { return generator ? *generator : random::default_generator(); }
};

// A host value on which the recording depends.
struct ValueGuard {
  const void* value;  // the captured value, if leaf is -1
  std::int32_t leaf;  // the argument that is the Scalar; -1 if captured
  std::uint32_t bytes;
  std::uint64_t bits;
  const char* name = nullptr;  // null: it has none
  const char* module = "";     // the module whose operations were recorded when it was read
  ir::Location after = {};     // the last operation recorded before it was read

  std::uint64_t now(std::span<const Leaf> leaves) const;
};

using ir::place_text;

struct Specialization {
  // The guards.
  std::vector<Leaf> arguments;
  Context context;
  std::vector<ValueGuard> values;
  std::vector<ParameterGuard> parameters;
  std::vector<record::Lifetime::Watch> lifetimes;  // of the objects that are known by address, here and below
  std::vector<std::pair<std::uint32_t, std::uint32_t>> same;  // pairs of leaves that are the same object
  std::vector<Tensor> captured;                               // in the order in which they were first used
  std::vector<Alias> aliases;
  bool is_of_bucket = false;  // for sizes named by mark_buckets
  // A gradient is taken with respect to tensors that may have aliases, even if there are none.
  bool aliases_matter = false;

  // The replay.
  std::shared_ptr<record::Plan> plan;
  // What was recorded, for pipelines; null if no result is a floating-point tensor and the program was known.
  std::shared_ptr<const ir::Graph> graph;
  std::vector<ir::Value> output_values;
  // Hashes of the recorded operations and outputs. They do not depend on the plan, which depends on who else holds the
  // inputs.
  Fingerprint operations, outputs;
  std::vector<Place> inputs;
  std::vector<record::Immediate> immediates;  // the values when it was recorded
  std::vector<Number> numbers;
  std::vector<Draws> draws;
  std::vector<std::pair<Place, Parameter*>> updates;  // of captured parameters
  std::vector<Place> results;
  Prototype prototype;
  std::shared_ptr<DifferentiableProgram> differentiable;  // null if no result has a gradient

  // The reason why the function is recorded again in each call; empty if it is replayed.
  std::string rerecorded_because;

  // For messages.
  std::string function;                  // its name
  std::vector<std::string> paths;        // of the arguments
  std::vector<ir::Location> first_uses;  // of the inputs
  std::vector<ir::Location> made_at;     // of the results, followed by the updates
  std::vector<Frozen> frozen;
  struct Part {
    std::shared_ptr<record::Plan> plan;
    std::uint64_t nodes = 0;
    std::string ended_by;
  };
  std::vector<Part> before;  // the graphs launched at each break
  std::uint64_t nodes = 0, replays = 0, inlined = 0;
  double compile_ms = 0;
  bool compiled = false;                      // false: an equal program existed
  std::vector<std::string> broken_relations;  // the relations between sizes that made the compile necessary

  bool holds(std::span<const Leaf> leaves, const Context& now) const;
  bool same_aliases(std::span<const Leaf> leaves) const;
  // Returns whether all objects known by address still exist; if not, none of them may be accessed.
  bool is_alive() const;
  static constexpr const char* is_gone = "a captured Parameter, Scalar, Flag or generator was destroyed or moved";
  // Checks what a replay needs even if the other guards are not checked: the same arguments, except for elements of
  // tensors and values of Scalars, and the objects known by address. Throws Error, which starts with the function's
  // name.
  void require_structure(std::span<const Leaf> leaves) const;
  std::vector<std::string> frozen_results() const;  // for messages: the results that are not tensors
  std::string name_of(const Place& place) const;    // for messages: argument 0.images, a parameter
  // Returns the numbers of a call, and draws the random keys that it needs.
  std::vector<record::Immediate> immediates_now(std::span<const Leaf> leaves) const;
  // Launches the program, gives parameters their new values and returns the tensors of the result in `results`. Throws
  // Error if an input is on another device than the current one of this thread.
  void replay(std::span<const Leaf> leaves, std::vector<Tensor>& results) const;
};

}  // namespace weft::jit
