// Files of jax.export, which hold a program as bytecode among what JAX alone needs.
#pragma once

#include <optional>
#include <string_view>

namespace weft::ir::bytecode {

// Returns the bytecode in a serialized jax.export.Exported, which is a FlatBuffer of the schema in JAX's serialization.fbs; nullopt if the
// bytes are anything else.
std::optional<std::string_view> exported_module(std::string_view bytes);

}  // namespace weft::ir::bytecode
