// Folders of profiles: FOLDER is one, weft-profile/ holds those that were given no name.
#pragma once

#include <filesystem>

namespace weft::cli {

std::filesystem::path new_profile_folder();   // named by the time
std::filesystem::path last_profile_folder();  // throws Error: there is none

}  // namespace weft::cli
