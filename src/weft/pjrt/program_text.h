// The text of a program as JAX reads it: its arguments and results are those of JAX's program.
#pragma once

#include <string>
#include <vector>

#include <weft/ir/boundary.h>

namespace weft::pjrt {

// Returns the text of a module whose public function takes and returns what the ports say. weft has two real numbers for each complex one; the
// function of the result has complex arguments and results, and calls the one with parts.
std::string with_complex_ports(const std::string& module, const std::vector<ir::Port>& inputs,
                               const std::vector<ir::Port>& outputs);

}  // namespace weft::pjrt
