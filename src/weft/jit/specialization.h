// One specialisation of a compiled function: what must hold for a call to be a replay of it, where the inputs of its program come
// from, and where the results go.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weft/base/hash.h>
#include <weft/jit/aliases.h>
#include <weft/jit/invocation.h>
#include <weft/jit/leaves.h>
#include <weft/jit/outside_gradient.h>
#include <weft/jit/place.h>
#include <weft/record/backend.h>
#include <weft/record/lifetime.h>
#include <weft/record/place_text.h>
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

  static Context now();
  friend bool operator==(const Context&, const Context&) = default;
};

// A number that is made anew for each launch.
struct Number {
  std::uint32_t index;  // among the immediates
  DType dtype = DType::f64;
  std::int32_t leaf = -1;          // the argument that it is, or
  const Scalar* scalar = nullptr;  // the captured one, or
  std::int32_t generator = -1;     // the generator that gives its key, the `draw`-th of the call
  std::uint64_t draw = 0;
};

// What a replay does not renew.
struct Frozen {
  enum class Kind : std::uint8_t { tensor, key, number };
  Kind kind;
  std::size_t input;
  double value = 0;  // of a number
};

// Random keys that a call takes.
struct Draws {
  random::Generator* generator;  // null: the calling thread's
  std::uint64_t count;

  random::Generator& of_this_thread() const { return generator ? *generator : random::default_generator(); }
};

// A value of the host that the recording depends on.
struct ValueGuard {
  const void* value;  // captured, or
  std::int32_t leaf;  // the Scalar that this argument is
  std::uint32_t bytes;
  std::uint64_t bits;
  const char* name = nullptr;  // null: it has none
  const char* module = "";     // that was recorded when it was read
  ir::Location after = {};     // what was recorded last when it was read

  std::uint64_t now(std::span<const Leaf> leaves) const;
};

using record::place_text;

struct Specialization {
  // The guards.
  std::vector<Leaf> arguments;
  Context context;
  std::vector<ValueGuard> values;
  std::vector<ParameterGuard> parameters;
  std::vector<record::Lifetime::Watch> lifetimes;             // of what is known by address, here and below
  std::vector<std::pair<std::uint32_t, std::uint32_t>> same;  // leaves that are one object
  std::vector<Tensor> captured;                               // in the order in which they were first used
  std::vector<Alias> aliases;
  bool is_of_bucket = false;    // of sizes that mark_buckets named
  bool aliases_matter = false;  // also where there is none: a gradient is taken by what may have some

  // The replay.
  std::shared_ptr<record::Plan> plan;
  // Of what was recorded, whatever plan it has: that depends on who else holds the inputs.
  Fingerprint operations, outputs;
  std::vector<Place> inputs;
  std::vector<record::Immediate> immediates;  // as they were recorded
  std::vector<Number> numbers;
  std::vector<Draws> draws;
  std::vector<std::pair<Place, Parameter*>> updates;  // of captured parameters
  std::vector<Place> results;
  Prototype prototype;
  std::shared_ptr<DifferentiableProgram> differentiable;  // null: no result has a gradient

  // Why the function is recorded anew in each call; empty: it is replayed.
  std::string rerecorded_because;

  // For people.
  std::string function;                  // its name
  std::vector<std::string> paths;        // of the arguments
  std::vector<ir::Location> first_uses;  // of the inputs
  std::vector<ir::Location> made_at;     // of the results, and then of the updates
  std::vector<Frozen> frozen;
  struct Part {
    std::shared_ptr<record::Plan> plan;
    std::uint64_t nodes = 0;
    std::string ended_by;
  };
  std::vector<Part> before;  // what was launched at each break
  std::uint64_t nodes = 0, replays = 0, inlined = 0;
  double compile_ms = 0;
  bool compiled = false;                      // else an equal program was known
  std::vector<std::string> broken_relations;  // of sizes, for which it was

  bool holds(std::span<const Leaf> leaves, const Context& now) const;
  bool same_aliases(std::span<const Leaf> leaves) const;
  // Whether everything that it knows by address is there still: else nothing of that may be touched.
  bool is_alive() const;
  static constexpr const char* is_gone = "a captured Parameter, Scalar, Flag or generator has ended or moved";
  // What a replay must find even where other guards are not looked at: these very arguments, but for the elements of tensors and
  // the values of Scalars, and what it knows by address. Throws Error led by the function's name.
  void require_structure(std::span<const Leaf> leaves) const;
  std::vector<std::string> frozen_results() const;  // in words: those that are not tensors
  std::string name_of(const Place& place) const;    // in the user's words: argument 0.images, a parameter
  // Launches the program and gives parameters their new values; returns the tensors of the result. Throws Error for an input on
  // another device than this thread's.
  void replay(std::span<const Leaf> leaves, std::vector<Tensor>& results) const;
};

}  // namespace weft::jit
