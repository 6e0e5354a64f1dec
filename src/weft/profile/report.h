// The files of a profile, made from its recording.
//   FOLDER/recording.weft, ops.json, trace.json (Perfetto, chrome://tracing), report.html, plugins/profile/... (XProf, TensorBoard)
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <weft/profile/analysis.h>

namespace weft::profile {

// Writes every file beside the recording. Returns which files could not be written, and why; does not throw.
std::vector<std::string> write_report(const Recording& recording, const Analysis& analysis,
                                      const std::filesystem::path& folder);

}  // namespace weft::profile
