// Says which exchanges of a training step a pipeline runs ahead (spmd/look_ahead.h).
#pragma once

#include <cstdint>

namespace weft::compiler {

// The exchanges of the next step that run while the current one does.
enum class Ahead : std::uint8_t {
  nothing,
  ids,            // of what depends on the batch alone, such as the ids that lookups need
  lookups,        // and of what lookups pool, from tables as the current step leaves them
  stale_lookups,  // the same, from tables as the step before the current one left them
};

}  // namespace weft::compiler
