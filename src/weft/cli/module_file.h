// StableHLO files as commands take them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <weft/ir/text/text.h>

namespace weft::cli {

// Throws Error led by the file's name, with line and column.
ir::Module read_module(const std::string& file);

// The public function of that name; without one, main or the only one. Throws Error that names those there are.
std::shared_ptr<const ir::Graph> find_entry(const ir::Module& module, const std::string& file,
                                            const std::string& entry);

// jit_train_step, as JAX calls its modules; without such a name the file's, and a function's that is not main.
std::string program_name(const ir::Graph& function, const std::filesystem::path& file);

}  // namespace weft::cli
