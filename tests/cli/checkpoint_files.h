// The files of a checkpoint, to compare checkpoints bit by bit.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include <weft/base/file.h>
#include <weft/train/checkpoint.h>

namespace weft::cli {

// Returns the contents of each part of the checkpoint in `folder`.
inline std::map<std::string, std::string> checkpoint_files(const std::filesystem::path& folder) {
  std::map<std::string, std::string> parts;
  for (const auto& [part, file] : train::open_checkpoint(folder).parts) parts[part] = read_file(file.file().path());
  return parts;
}

}  // namespace weft::cli
