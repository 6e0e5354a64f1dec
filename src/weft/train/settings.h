// Settings: the configuration of a run by name, in a form that can be stored and compared.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace weft::train {

using Setting = std::variant<bool, std::int64_t, double, std::string>;
using Settings = std::map<std::string, Setting>;

std::string to_string(const Setting& setting);  // the shortest text from which a number reads back exactly

// Returns all differences in one line, "width is 384 in SAVED and 128 in CURRENT, ..."; empty if there are none.
std::string differences(const Settings& saved, const Settings& current, const std::string& saved_name,
                        const std::string& current_name);

}  // namespace weft::train
