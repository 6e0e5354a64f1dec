// A recording in the format of ui.perfetto.dev and chrome://tracing.
#pragma once

#include <string>

#include <weft/profile/recording.h>

namespace weft::profile {

// Lanes: for each host thread its work, compilation, copies and the loader's batches; the queue of launches; the device with
// its ops; the bytes in use. Arrows connect each launch with its execution.
std::string perfetto_json(const Recording& recording);

}  // namespace weft::profile
