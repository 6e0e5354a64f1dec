// What machine code depends on beside its source: this build of weft, the processor, LLVM.
#pragma once

#include <string>
#include <string_view>

namespace weft::compiler {

const std::string& code_origin();
// Why code of that origin is not for this process, in words; of anything that is no origin, too.
std::string origin_difference(std::string_view origin);

}  // namespace weft::compiler
