// Chooses folders of profiles; weft-profile/ contains those that were given no name.
#pragma once

#include <filesystem>

namespace weft::cli {

std::filesystem::path new_profile_folder();   // named after the current time
std::filesystem::path last_profile_folder();  // throws Error if there is none

}  // namespace weft::cli
