// The extension of the plugin interface through which jax.profiler.trace records what weft does. What it collects is an XSpace, with ops that
// XProf can rank.
#pragma once

#include <pjrt_c_api.h>

namespace weft::pjrt {

// Returns the extension, which is followed by `next`.
PJRT_Extension_Base* profiler_extension(PJRT_Extension_Base* next);

}  // namespace weft::pjrt
