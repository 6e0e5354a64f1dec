// Reads MLIR bytecode that holds a StableHLO portable artifact: operations of the dialect VHLO, which StableHLO keeps readable for years,
// with attributes of Shardy. JAX writes it for plugins and with jax.export; StableHLO's tools write it with --serialize. The sources of its
// semantics are MLIR's page "MLIR Bytecode Format" and StableHLO's VHLO dialect.
//
// The result is the same as for the text of the same program (text/text.h). For any bytes, it is a graph or an Error `byte 812: what is
// wrong`, which also names the place in the user's program if the bytecode has one; limits are checked before memory is allocated.
// Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <weft/ir/bytecode/stablehlo_version.h>
#include <weft/ir/text/text.h>

namespace weft::ir {

// Returns whether the bytes begin as MLIR bytecode does.
bool is_bytecode(std::string_view bytes);

// Reads StableHLO of version 0.9 to 1.20. Throws UnsupportedError for a newer version and for bytecode of other dialects, and Error for
// malformed bytes. If `refused` is given, functions that weft cannot represent are left out, and the reasons are appended to it.
Module read_bytecode(std::string_view bytes, const ParseLimits& limits = {},
                     std::vector<std::string>* refused = nullptr);

// Reads a program from text, from bytecode or from what jax.export serializes, whichever the contents are. The other arguments are those of
// parse_module.
Module read_program(std::string_view contents, const ParseLimits& limits = {}, int first_line = 1,
                    std::string_view file = {});

}  // namespace weft::ir
