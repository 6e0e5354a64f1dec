// Makes machine code of PTX. Thread-safe: several threads may assemble at the same time.
#pragma once

#include <string>

#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Returns the machine code (a cubin) that the driver makes of PTX for the target; the PTX itself if there is no GPU of exactly this target here,
// since every driver can assemble PTX when it loads it. Throws InternalError with what the driver says about wrong PTX.
std::string assembled(std::string ptx, const Target& target);

}  // namespace weft::compiler
