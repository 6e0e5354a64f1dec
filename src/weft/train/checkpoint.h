// Checkpoints: a folder that holds the state of a training run. At every instant, whatever is killed and whichever disk is full,
// the folder holds the old checkpoint or the new one, whole.
//
//   manifest.json                        names the files below with size and digest; its rename is the moment of the save
//   model-STEP-DIGEST.safetensors        one file per part
//   optimizer-STEP-DIGEST.safetensors
//
// Damage (truncation, flipped bits) is noticed when a checkpoint is opened, by size and XXH3-128 digest.
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

// Name of a part (lower-case letters) and its tensors.
using CheckpointParts = std::map<std::string, std::span<const data::TensorBytes>>;

// A folder to save checkpoints in: made if it does not exist, and this process's own while the object lives.
class CheckpointFolder {
 public:
  explicit CheckpointFolder(std::filesystem::path folder);

  // Replaces the folder's checkpoint. Needs room for both at once. When it throws Error the old one still stands.
  void save(std::int64_t step, const Settings& config, const CheckpointParts& parts);
  const std::filesystem::path& path() const { return folder_; }

 private:
  std::filesystem::path folder_;
  FolderLock lock_;
};

// A checkpoint opened for reading, with every part verified.
struct Checkpoint {
  std::int64_t step = 0;
  Settings config;
  std::map<std::string, data::SafetensorsFile> parts;

  StateDict state(const std::string& part) const;  // of a part. Throws Error if there is none of this name
};

// Throws Error for a folder without a checkpoint and for one that is damaged, naming the file. May be called while another
// process saves.
Checkpoint open_checkpoint(const std::filesystem::path& folder);
bool has_checkpoint(const std::filesystem::path& folder);

}  // namespace weft::train
