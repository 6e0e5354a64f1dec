// weft explain --collectives: why the devices of a mesh communicate, what it costs, and what would remove it; as text or as JSON.
#pragma once

#include <filesystem>
#include <string>

namespace weft::cli {

// Divides the function among the devices of its mesh.
std::string explain_collectives(const std::string& file, const std::string& entry, bool json);
// Explains what a recorded run measured.
std::string explain_recorded_collectives(const std::filesystem::path& run, bool json);

}  // namespace weft::cli
