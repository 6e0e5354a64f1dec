// A function of a StableHLO module, prepared to run, either interpreted, or compiled for the device that WEFT_DEVICE names. It accesses no files or sockets,
// and an unknown custom_call is rejected. Not thread-safe.
//
// A program that only the interpreter supports (see compiler.h) is interpreted regardless of the options; fallbacks()
// reports this.
//
// The checks in the function (check.expect_eq, check.expect_close, check.expect_almost_eq) are removed from the
// program: their operands become additional outputs and are compared after the run, by the rules of the interpreter,
// for interpreted and compiled programs alike.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <weft/compiler/compiler.h>
#include <weft/ir/array.h>
#include <weft/ir/graph.h>
#include <weft/ir/interpreter.h>
#include <weft/runtime/device.h>

namespace weft::cli {

struct ProgramOptions {
  bool interpret = false;
  bool requires_finite = false;  // throw Error, which names the operation, if it made a NaN or infinity in a result
  ir::InterpretOptions interpreter = {};
  compiler::Options compiler = {};
};

class Program {
 public:
  // Throws UnsupportedError if the function cannot be run.
  explicit Program(const ir::Graph& function, const ProgramOptions& options = {});

  const compiler::Report& report() const { return report_; }  // of the compilation
  bool is_compiled() const { return executable_ != nullptr; }
  // Returns the parts of a compiled program that the interpreter runs, each with the reason.
  std::span<const std::string> fallbacks() const { return report_.fallbacks; }

  // Returns the function's outputs. Throws Error if the inputs do not fit, if the program or a check fails, or if a
  // result must be finite and is not. `ms` receives the time of the computation only.
  std::vector<ir::Array> run(std::span<const ir::Array> inputs, double* ms = nullptr);

 private:
  std::vector<ir::Array> execute(std::span<const ir::Array> inputs, double* ms);
  void require_finite(std::span<const ir::Array> inputs, std::span<const ir::Array> results) const;

  const ir::Graph& function_;
  ir::InterpretOptions interpreter_;
  bool requires_finite_;
  std::vector<const ir::Node*> checks_;    // of the function
  std::shared_ptr<const ir::Graph> body_;  // without the checks, whose operands follow the outputs
  std::shared_ptr<const runtime::Executable> executable_;
  compiler::Report report_;
};

}  // namespace weft::cli
