// Which Fourier transforms the CPU computes with a kernel of their own.
#pragma once

#include <weft/compiler/options/target.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

bool has_fft_kernel(const ir::Node& node, const Target& target);

}  // namespace weft::compiler
