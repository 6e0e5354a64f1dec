#include <weft/compiler/dump.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include <weft/base/error.h>
#include <weft/base/knobs.h>
#include <weft/compiler/llvm/jit.h>
#include <weft/ir/text/text.h>

namespace weft::compiler {

Dump::Dump(const std::string& program) {
  if (knobs::dump().empty()) return;
  static std::atomic<int> programs = 0;
  folder_ = concat(knobs::dump(), "/", ++programs, ".", program);
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  require(!error, "cannot make the folder ", folder_, " (WEFT_DUMP): ", error.message());
}

void Dump::graph(const ir::Graph& graph, std::string_view stage) {
  if (*this) write(concat(stages_++, ".", stage, ".mlir"), ir::print(graph));
}

void Dump::kernel(const std::string& name, const KernelSource& source) const {
  if (!*this) return;
  write(name + ".ll", show_kernel(source, CodeForm::llvm));
  write(name + ".s", show_kernel(source, CodeForm::assembly));
}

void Dump::write(const std::string& file, const std::string& text) const {
  std::ofstream out(folder_ + "/" + file);
  out << text;
  out.close();
  require(out.good(), "cannot write ", folder_, "/", file, " (WEFT_DUMP)");
}

}  // namespace weft::compiler
