// Runs a graph in every way that the engine offers, and compares the results.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <weft/compiler/options/target.h>
#include <weft/ir/array.h>
#include <weft/ir/graph.h>
#include <weft/runtime/device.h>

namespace weft::fuzz {

// The kinds of fault that a check can find.
enum class Fault : std::uint8_t {
  invalid,       // the verifier rejects the graph
  text,          // the text reads back as a different graph
  error,         // the interpreter accepts the graph, but compiling or running it throws
  value,         // the compiled result differs from the interpreter's by more than rounding explains
  strict_value,  // like value, in strict mode
  repeat,        // a second run gives different bits
  donation,      // a program that reuses the memory of donated inputs gives different bits
  cache,         // a program compiled without cached kernels, or with kernels loaded from disk, gives different bits
  fusion,        // strict mode: different bits without fusion
  threads,       // strict mode: one thread and two threads give different bits
  mesh,          // the program divided among the devices of a random mesh differs too much from the interpreter
  sizes,  // a program for many sizes differs too much from the interpreter or, in strict mode, gives different bits
};
std::string_view name(Fault fault);

struct Verdict {
  std::optional<Fault> fault;
  std::string reason;         // what differs, and where
  std::int64_t elements = 0;  // of all outputs
  // number of elements with an infinite bound, which are only compared between runs of the engine
  std::int64_t unknown = 0;
};

struct CheckOptions {
  const compiler::Target* target =
      &compiler::Target::host();  // the machine that programs are compiled for; it must run here
  bool cache = true;              // also compile without cached kernels, and with kernels loaded from disk
  // A device on which the graph runs, compiled for its target, instead of in the ways of the CPU; null: the CPU.
  runtime::Device* device = nullptr;
};

// Throws Error if the interpreter does not accept the graph. The number of kernel threads is changed during the check.
Verdict check(const ir::Graph& graph, std::span<const ir::Array> inputs, const CheckOptions& options = {});

}  // namespace weft::fuzz
