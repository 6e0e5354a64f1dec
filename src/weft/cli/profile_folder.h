// Chooses folders of profiles; weft-profile/ contains those that were given no name.
#pragma once

#include <filesystem>

#include <weft/profile/recording.h>

namespace weft::cli {

std::filesystem::path new_profile_folder();   // named after the current time
std::filesystem::path last_profile_folder();  // throws Error if there is none

// Prints a warning for each note on what the recording lacks; for commands whose output has no place for notes.
void warn_of_gaps(const profile::Recording& recording);

}  // namespace weft::cli
