// Reads StableHLO files, text or bytecode, for commands.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <weft/ir/bytecode/bytecode.h>

namespace weft::cli {

// Throws Error, which starts with the file's name and the place in the file.
ir::Module read_module(const std::string& file);

// Returns the public function named `entry`; if that is empty, main or the only function. Throws Error, which names the
// existing functions.
std::shared_ptr<const ir::Graph> find_entry(const ir::Module& module, const std::string& file,
                                            const std::string& entry);

// Returns the name of a program: the name of the module, such as jit_train_step for JAX; if it has none, the file's
// name, with that of the function unless it is main.
std::string program_name(const ir::Graph& function, const std::filesystem::path& file);

}  // namespace weft::cli
