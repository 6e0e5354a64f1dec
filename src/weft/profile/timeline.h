// The data of the page's timeline: lanes of spans.
#pragma once

#include <nlohmann/json.hpp>

#include <weft/profile/recording.h>

namespace weft::profile {

// Returns {origin, length, names, categories (of the names), lanes: [{name, group, depth, longest, spans: [[begin, ns, name,
// program, op, row]]}], flows: [[begin, lane, begin, lane]], note}; times count from the first span. For very long recordings,
// only the ops at the end are included; before them, only the spans that contain ops.
nlohmann::json timeline_json(const Recording& recording);

}  // namespace weft::profile
