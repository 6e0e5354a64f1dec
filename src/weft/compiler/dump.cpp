#include <weft/compiler/dump.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include <system_error>

#include <weft/base/error.h>
#include <weft/base/knobs.h>
#include <weft/base/log.h>
#include <weft/compiler/codegen/llvm/jit.h>
#include <weft/ir/text/text.h>

namespace weft::compiler {

Dump::Dump(const std::string& program) {
  if (knobs::dump().empty()) return;
  static std::atomic<int> programs = 0;
  folder_ = concat(knobs::dump(), "/", ++programs, ".", program);
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) give_up(concat("cannot make the folder ", folder_, ": ", error.message()));
}

void Dump::graph(const ir::Graph& graph, std::string_view stage) {
  if (*this) write(concat(stages_++, ".", stage, ".mlir"), ir::print(graph));
}

void Dump::kernel(const std::string& name, const KernelSource& source, const Target& target) {
  if (!*this) return;
  write(name + ".ll", show_kernel(source, CodeForm::llvm, target));
  write(name + ".s", show_kernel(source, CodeForm::assembly, target));
}

void Dump::write(const std::string& file, const std::string& text) {
  if (!*this) return;
  errno = 0;
  std::ofstream out(folder_ + "/" + file);
  out << text;
  out.close();
  if (!out) give_up(concat("cannot write ", folder_, "/", file, ": ", std::generic_category().message(errno)));
}

void Dump::give_up(const std::string& reason) {
  folder_.clear();
  static std::atomic<bool> said = false;
  if (!said.exchange(true)) WEFT_LOG(warnings, "WEFT_DUMP: ", reason, "; the dump is incomplete");
}

}  // namespace weft::compiler
