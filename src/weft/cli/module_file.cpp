#include <weft/cli/module_file.h>

#include <weft/base/error.h>
#include <weft/base/file.h>

namespace weft::cli {

ir::Module read_module(const std::string& file) {
  const std::string text = read_file(file);
  try {
    return ir::read_program(text, {}, 1, file);
  } catch (const Error& wrong) {
    fail(file, ':', wrong.what());
  }
}

std::shared_ptr<const ir::Graph> find_entry(const ir::Module& module, const std::string& file,
                                            const std::string& entry) {
  if (entry.empty()) {
    try {
      return module.main();
    } catch (const Error& wrong) {
      fail(file, ": ", wrong.what());
    }
  }
  std::string names;
  for (const auto& function : module.functions) {
    if (function->name == entry) return function;
    names += concat(names.empty() ? "" : ", ", '@', function->name);
  }
  fail(file, ": there is no public function @", entry, names.empty() ? "" : "; there are ", names);
}

std::string program_name(const ir::Graph& function, const std::filesystem::path& file) {
  const auto* const said = function.annotations ? function.annotations->module.get() : nullptr;
  std::string name = said && !said->name.empty() ? said->name : file.stem().string();
  return function.name == "main" ? name : concat(name, '.', function.name);
}

}  // namespace weft::cli
