// WEFT_DEBUG_NANS: which operation of a program made the first NaN or infinity that reached a result. The operations are run again,
// each as a kernel of its own, on the same inputs; so what happens inside a fused kernel is seen, too.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include <weft/ir/graph.h>
#include <weft/record/backend.h>
#include <weft/runtime/buffer.h>

namespace weft::record {

// Waits for the results of a launch of `graph`, whose outputs are set and whose inputs still have their bytes. What is wrong, in
// one line; nothing where all results are finite, where what is not came in with the inputs' constants, or where the launch
// failed.
std::optional<std::string> find_nan(std::shared_ptr<const ir::Graph> graph, Backend backend,
                                    std::span<const runtime::BufferPtr> inputs,
                                    std::span<const runtime::BufferPtr> results);

}  // namespace weft::record
