// Implements the knob WEFT_DUMP: writes a folder for each compiled program, with its graph before the passes and after every pass that
// changed it (StableHLO text), and the LLVM IR and assembly of each distinct kernel.
//   FOLDER/3.main/0.input.mlir, 1.inline-composites.mlir, ..., fusion.12.ll, fusion.12.s
#pragma once

#include <string>
#include <string_view>

#include <weft/compiler/loop/kernel_source.h>
#include <weft/compiler/options/target.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

class Dump {
 public:
  // Creates the folder. If that or a later write fails, warns once and dumps nothing more of the program.
  explicit Dump(const std::string& program);

  explicit operator bool() const { return !folder_.empty(); }  // whether dumping is on
  void graph(const ir::Graph& graph, std::string_view stage);
  void kernel(const std::string& name, const KernelSource& source, const Target& target);

 private:
  void write(const std::string& file, const std::string& text);
  void give_up(const std::string& reason);

  std::string folder_;
  int stages_ = 0;
};

}  // namespace weft::compiler
