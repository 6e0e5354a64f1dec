// The page's timeline: lanes of spans.
#pragma once

#include <nlohmann/json.hpp>

#include <weft/profile/recording.h>

namespace weft::profile {

// {origin, length, names, categories (of the names), lanes: [{name, group, depth, longest, spans: [[begin, ns, name, program, op, row]]}], flows: [[begin, lane,
// begin, lane]], note}; times count from the first span. Of very long recordings the ops of the end are shown, of the rest what
// contains them.
nlohmann::json timeline_json(const Recording& recording);

}  // namespace weft::profile
