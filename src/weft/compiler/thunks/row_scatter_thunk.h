// Scatters of rows on the CPU.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include <weft/compiler/thunks/native_context.h>
#include <weft/compiler/thunks/scatter_plan.h>
#include <weft/runtime/executable.h>

namespace weft::compiler {

// Returns a function that makes the thunk, whose slices are operands, indices and updates, and results.
std::function<std::unique_ptr<runtime::Thunk>(std::span<const runtime::Slice> from, std::span<const runtime::Slice> to)>
make_row_scatter(const ir::Graph& body, const RowScatter& rows, const NativeContext& context);

}  // namespace weft::compiler
