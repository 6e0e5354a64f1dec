// Parts of a recording as JSON, and back.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <weft/profile/recording.h>

namespace weft::profile {

nlohmann::json to_json(const runtime::Executable& executable);
Program program_from(const nlohmann::json& json);

nlohmann::json to_json(const diagnostics::Event& event);
diagnostics::Event event_from(const nlohmann::json& json);

nlohmann::json to_json(const Roofs& roofs);
Roofs roofs_from(const nlohmann::json& json);

nlohmann::json to_json(const Load& load);
Load load_from(const nlohmann::json& json);

// In one line; what is no UTF-8 is replaced.
std::string dump(const nlohmann::json& json);
// A text whose bytes are UTF-8, as strings of protobuf's messages must be: what is none is replaced.
std::string utf8(const std::string& text);

}  // namespace weft::profile
