// A function of a StableHLO module, made ready to be run: interpreted or compiled. Nothing it does reaches a file or a socket, and
// a custom_call that is not known is refused. Not thread-safe.
//
// A program that only the interpreter runs (compiler.h says which) is interpreted, whatever the options say; fallbacks() tells.
//
// Its checks (check.expect_eq, check.expect_close, check.expect_almost_eq) are taken out: their operands become outputs of what is
// run, and are compared afterwards, by the interpreter's rules, whatever ran it.
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
  bool requires_finite = false;  // of the results: a NaN or infinity that an operation made is an error that names it
  ir::InterpretOptions interpreter = {};
  compiler::Options compiler = {};
};

class Program {
 public:
  // Throws UnsupportedError for what cannot be run.
  explicit Program(const ir::Graph& function, const ProgramOptions& options = {});

  const compiler::Report& report() const { return report_; }  // of compiling it
  bool is_compiled() const { return executable_ != nullptr; }
  // What of a program that was to be compiled the interpreter runs, each with the reason.
  std::span<const std::string> fallbacks() const { return report_.fallbacks; }

  // The function's outputs. Throws Error when the inputs do not fit, when the program fails, and when a check does, and when a
  // result is not finite and has to be. `ms` receives the time that the computation alone took.
  std::vector<ir::Array> run(std::span<const ir::Array> inputs, double* ms = nullptr);

 private:
  std::vector<ir::Array> execute(std::span<const ir::Array> inputs, double* ms);
  void require_finite(std::span<const ir::Array> inputs, std::span<const ir::Array> results) const;

  const ir::Graph& function_;
  ir::InterpretOptions interpreter_;
  bool requires_finite_;
  std::vector<const ir::Node*> checks_;    // of the function
  std::shared_ptr<const ir::Graph> body_;  // without the checks; their operands stand behind the outputs
  std::shared_ptr<const runtime::Executable> executable_;
  compiler::Report report_;
};

}  // namespace weft::cli
