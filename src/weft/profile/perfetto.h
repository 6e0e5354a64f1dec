// A recording in the form that ui.perfetto.dev and chrome://tracing open.
#pragma once

#include <string>

#include <weft/profile/recording.h>

namespace weft::profile {

// Lanes: for each host thread its work, compiling, copies and the loader's batches; the queue of launches; the device with its ops;
// the bytes in use. Arrows go from each launch to its execution.
std::string perfetto_json(const Recording& recording);

}  // namespace weft::profile
