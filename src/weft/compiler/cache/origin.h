// The origin of machine code is what it depends on besides its source: this build of weft, the processor, and LLVM.
#pragma once

#include <string>
#include <string_view>

namespace weft::compiler {

const std::string& code_origin();
// Returns in words why code of that origin cannot be used by this process. Also accepts text that is no origin at all.
std::string origin_difference(std::string_view origin);

}  // namespace weft::compiler
