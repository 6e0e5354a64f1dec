// Checkpoints: a folder with the state of a training run. At any time, even if a process is killed or the disk is full,
// the folder contains either the complete old checkpoint or the complete new one.
//
//   manifest.json                        lists the files below with size and digest; renaming it completes the save
//   model-STEP-DIGEST.safetensors        one file per part
//   optimizer-STEP-DIGEST.safetensors
//
// Damage (truncation, flipped bits) is detected when a checkpoint is opened, by size and XXH3-128 digest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include <weft/base/file.h>
#include <weft/data/safetensors.h>
#include <weft/tensor/module.h>
#include <weft/train/settings.h>

namespace weft::train {

// Maps the name of a part (lower-case letters) to its tensors.
using CheckpointParts = std::map<std::string, std::span<const data::TensorBytes>>;

// A folder for saving checkpoints. It is created if it does not exist, and locked for this process during the lifetime
// of the object.
class CheckpointFolder {
 public:
  explicit CheckpointFolder(std::filesystem::path folder);

  // Replaces the checkpoint in the folder. Needs disk space for both. If it throws Error, the old checkpoint is still
  // intact.
  void save(std::int64_t step, const Settings& config, const CheckpointParts& parts);
  const std::filesystem::path& path() const { return folder_; }

 private:
  std::filesystem::path folder_;
  FolderLock lock_;
};

// A checkpoint opened for reading; every part has been verified.
struct Checkpoint {
  std::int64_t step = 0;
  Settings config;
  std::map<std::string, data::SafetensorsFile> parts;

  StateDict state(const std::string& part) const;  // throws Error if there is no such part
};

// Throws Error, which names the file, if the folder has no checkpoint or a damaged one. May be called while another
// process saves.
Checkpoint open_checkpoint(const std::filesystem::path& folder);
bool has_checkpoint(const std::filesystem::path& folder);

}  // namespace weft::train
