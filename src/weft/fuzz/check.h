// Runs a graph in every way the engine has, and compares what comes of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <weft/ir/array.h>
#include <weft/ir/graph.h>

namespace weft::fuzz {

// How a graph was found wrong.
enum class Fault : std::uint8_t {
  invalid,       // the verifier refuses it
  text,          // read back from its text it is another graph
  error,         // the interpreter takes it, compiling or running it throws
  value,         // compiled, further from the interpreter than rounding explains
  strict_value,  // the same in strict mode
  repeat,        // a second run gives other bits
  donation,      // compiled again, to take over the bytes of inputs, it gives other bits
  cache,         // compiled from nothing, or with kernels found on disk, it gives other bits
  fusion,        // strict mode: other bits without fusion
  threads,       // strict mode: other bits with one thread than with two
  sizes,         // by a program for many sizes: too far from the interpreter, or in strict mode other bits
};
std::string_view name(Fault fault);

struct Verdict {
  std::optional<Fault> fault;
  std::string reason;         // what differs, and where
  std::int64_t elements = 0;  // of all outputs
  std::int64_t unknown = 0;   // of them, whose bound is infinite: only compared between runs of the engine
};

struct CheckOptions {
  bool cache = true;  // compile once more without kernels at hand, and with those of the disk
};

// Throws Error if the interpreter does not take the graph. The number of kernel threads is changed while it runs.
Verdict check(const ir::Graph& graph, std::span<const ir::Array> inputs, const CheckOptions& options = {});

}  // namespace weft::fuzz
