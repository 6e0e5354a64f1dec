// Programs that only the interpreter runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <weft/ir/graph.h>
#include <weft/runtime/executable.h>

namespace weft::pjrt {

// Returns a program that interprets the graph in one step, on each device. The shard of input or output i on device d is number
// i * devices + d of the program.
std::shared_ptr<const runtime::Executable> interpreted(std::shared_ptr<const ir::Graph> graph, std::string name,
                                                       std::int64_t devices);

}  // namespace weft::pjrt
