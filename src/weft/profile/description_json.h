// Descriptions of programs as JSON, as recordings keep them. What is read is not trusted: indices lead to what stands before, and nothing
// is referred to so often that a view of the program would be far larger than its JSON. Long names are cut.
#pragma once

#include <nlohmann/json.hpp>

#include <weft/base/json.h>
#include <weft/runtime/program_description.h>

namespace weft::profile {

nlohmann::json to_json(const runtime::ProgramDescription& program);
// Throws Error for what is no description.
runtime::ProgramDescription description_from(const JsonValue& json);

}  // namespace weft::profile
