// WEFT_DEBUG_NANS: finds the operation of a program that made the first NaN or infinity that reached a result. The operations
// run again on the same inputs, each as its own kernel, so that NaNs inside a fused kernel are found as well.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include <weft/ir/graph.h>
#include <weft/record/backend.h>
#include <weft/runtime/buffer.h>

namespace weft::record {

// Waits for the results of a launch of `graph`, whose outputs are set and whose inputs still have their bytes. Returns a line
// that tells what is wrong; nullopt if all results are finite, if the others stem from the program's constants, or if the
// launch failed.
std::optional<std::string> find_nan(std::shared_ptr<const ir::Graph> graph, Backend backend,
                                    std::span<const runtime::BufferPtr> inputs,
                                    std::span<const runtime::BufferPtr> results);

}  // namespace weft::record
