// Converts parts of a recording to JSON and back. Input is not trusted: the functions that end in _from throw Error for a value
// of a wrong kind, for a number out of range, and for an index that refers to nothing. Long names are truncated.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <weft/base/json.h>
#include <weft/profile/recording.h>

namespace weft::profile {

nlohmann::json to_json(const runtime::Executable& executable);
Program program_from(const JsonValue& json);
std::string name_from(const JsonValue& json);
// Reads a time or an amount of work. These are summed, and some viewers write them as integers.
double amount_from(const JsonValue& json);

nlohmann::json to_json(const diagnostics::Event& event);
diagnostics::Event event_from(const JsonValue& json);

nlohmann::json to_json(const Roofs& roofs);
Roofs roofs_from(const JsonValue& json);

// Recording::about and Recording::first_metrics stay JSON; these check what viewers read from them.
nlohmann::json about_from(const JsonValue& json);
nlohmann::json metrics_from(const JsonValue& json);

nlohmann::json to_json(const Load& load);
Load load_from(const JsonValue& json);

// Prints the JSON in one line; invalid UTF-8 is replaced.
std::string dump(const nlohmann::json& json);
// Replaces invalid UTF-8, because strings in protobuf messages must be UTF-8.
std::string utf8(const std::string& text);
// Returns the text, or the beginning of a longer one, cut between two characters of UTF-8.
std::string shortened(const std::string& text, std::size_t longest);
// Returns the text for one line of a terminal: control characters, which could move the cursor or change colours, become
// blanks.
std::string printable(std::string text);

}  // namespace weft::profile
