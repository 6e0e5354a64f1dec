// The version of this library.
#pragma once

#include <string_view>

namespace weft {

std::string_view version();  // "0.1.0"

}  // namespace weft
