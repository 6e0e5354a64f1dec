// Makes sure that all processes of a job (runtime/ranks.h) run the same program together.
#pragma once

#include <string_view>

namespace weft::ir {
class Graph;
}

namespace weft::record {

// Compares the program of each process with that of the first one; all processes must call this for their programs in the same order.
// `settings` describes how it is compiled. Throws Error that names the first operation in which two processes differ. Does nothing if there is
// one process only.
void require_same_program(const ir::Graph& program, std::string_view settings);

}  // namespace weft::record
