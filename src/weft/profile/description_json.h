// Reads and writes descriptions of programs as JSON, as recordings store them. Input is not trusted: indices must refer to
// earlier entries, and nothing may be referred to so often that a view of the program would be far larger than its JSON. Long
// names are truncated.
#pragma once

#include <nlohmann/json.hpp>

#include <weft/base/json.h>
#include <weft/runtime/program_description.h>

namespace weft::profile {

nlohmann::json to_json(const runtime::ProgramDescription& program);
// Throws Error if the JSON is not a description.
runtime::ProgramDescription description_from(const JsonValue& json);

}  // namespace weft::profile
