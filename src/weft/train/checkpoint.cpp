#include <weft/train/checkpoint.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <system_error>

#include <weft/base/error.h>
#include <weft/base/metrics.h>
#include <weft/base/process.h>
#include <weft/base/trace.h>
#include <weft/data/state_dict.h>
#include <weft/train/manifest.h>

namespace weft::metrics {
inline constinit Metric checkpoint_time("CheckpointTime");  // time of writing checkpoints
}  // namespace weft::metrics

namespace weft::train {

namespace {

constexpr const char* manifest_name = "manifest.json";
constexpr std::uint64_t max_manifest_bytes = 1 << 20;

Manifest read_manifest(const std::filesystem::path& folder) {
  const auto path = folder / manifest_name;
  const std::string text = read_file(path, max_manifest_bytes);
  try {
    return parse_manifest(text);
  } catch (const Error& error) {
    fail("the checkpoint's ", path.string(), ": ", error.what());
  }
}

std::set<std::string> file_names(const Manifest& manifest) {
  std::set<std::string> names;
  for (const auto& [part, file] : manifest.files) names.insert(file.name);
  return names;
}

// Returns the files of the current checkpoint; nullopt if there is, or may be, a manifest that cannot be read.
std::optional<std::set<std::string>> standing_files(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder / manifest_name, error) && !error) return std::set<std::string>{};
  try {
    return file_names(read_manifest(folder));
  } catch (const Error&) {
    return std::nullopt;
  }
}

void remove_parts(const std::filesystem::path& folder, const std::set<std::string>& except) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (is_part_file_name(name) && !except.contains(name)) remove_file(entry.path());
  }
}

data::SafetensorsFile open_part(const std::filesystem::path& folder, const ManifestFile& expected) {
  try {
    const File raw(folder / expected.name);
    const std::string path = raw.path().string();
    require(raw.size() == expected.bytes, path, " has ", raw.size(), " bytes instead of ", expected.bytes);
    require(raw.digest() == expected.digest, "the digest of ", path, " does not match the manifest");
    return data::SafetensorsFile(raw.path());
  } catch (const Error& error) {
    fail("the checkpoint ", folder.string(), " is damaged: ", error.what());
  }
}

// Returns the end of the message for a failed save.
std::string still_stands(const std::filesystem::path& folder) {
  try {
    return concat("; the checkpoint of step ", read_manifest(folder).step, " still stands");
  } catch (const Error&) {
    return "";
  }
}

std::filesystem::path made(std::filesystem::path folder) {
  make_folder(folder);
  return folder;
}

// Returns a message about the space that a save needs, if it exceeds the free space of the file system.
std::string missing_room(const std::filesystem::path& folder, const CheckpointParts& parts) {
  std::uint64_t needed = 0;
  for (const auto& [part, tensors] : parts)
    for (const data::TensorBytes& tensor : tensors) needed += tensor.bytes.size();
  std::error_code unknown;
  const auto space = std::filesystem::space(folder, unknown);
  if (unknown || space.available >= needed) return "";
  return concat("; it takes ", format_bytes(needed), ", ", format_bytes(space.available), " are free");
}

}  // namespace

CheckpointFolder::CheckpointFolder(std::filesystem::path folder) : folder_(made(std::move(folder))), lock_(folder_) {
  remove_temporaries(folder_);
  AtomicFile{folder_};  // throws Error if no file can be created in the folder
  require(!std::filesystem::is_directory(folder_ / manifest_name), "cannot save checkpoints in ", folder_.string(),
          ": its ", manifest_name, " is a folder");
  if (const auto names = standing_files(folder_)) remove_parts(folder_, *names);
}

void CheckpointFolder::save(std::int64_t step, const Settings& config, const CheckpointParts& parts) {
  const trace::Scope scope("checkpoint", "write", step);
  const metrics::Timer timer(metrics::checkpoint_time);
  const auto before = standing_files(folder_);
  Manifest manifest{step, config, {}};
  try {
    for (const auto& [part, tensors] : parts) {
      AtomicFile file(folder_);
      data::write_safetensors(file, tensors, {{"format", "pt"}});  // metadata that other readers of safetensors expect
      const ManifestFile entry{part_file_name(part, step, file.digest()), file.size(), file.digest()};
      file.commit(entry.name);
      manifest.files[part] = entry;
    }
    write_file(folder_ / manifest_name, print_manifest(manifest));
  } catch (const Error& error) {
    // The manifest may be the new one although syncing its folder failed; then the files of both checkpoints are kept.
    if (auto names = standing_files(folder_); names && before) {
      names->insert(before->begin(), before->end());
      remove_parts(folder_, *names);
    }
    fail("cannot save the checkpoint of step ", step, ": ", error.what(), missing_room(folder_, parts),
         still_stands(folder_));
  }
  remove_parts(folder_, file_names(manifest));
}

bool has_checkpoint(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / manifest_name, ignored);
}

Checkpoint open_checkpoint(const std::filesystem::path& folder) {
  const trace::Scope scope("checkpoint", "open");
  std::error_code error;
  const auto status = std::filesystem::status(folder, error);
  require(status.type() != std::filesystem::file_type::not_found, "no checkpoint in ", folder.string(),
          ": there is no such folder");
  require(error || is_directory(status), "no checkpoint in ", folder.string(), ": it is not a folder");
  const bool found = std::filesystem::exists(folder / manifest_name, error);
  if (error) fail("cannot read the checkpoint ", folder.string(), ": ", error.message());
  require(found, "no checkpoint in ", folder.string(), ": it has no ", manifest_name);
  Manifest manifest = read_manifest(folder);
  while (true) {
    try {
      Checkpoint checkpoint{manifest.step, manifest.config, {}};
      for (const auto& [part, file] : manifest.files) checkpoint.parts.emplace(part, open_part(folder, file));
      return checkpoint;
    } catch (const Error&) {
      // A concurrent save may have removed the files of the previous checkpoint; then read the new manifest.
      Manifest now = read_manifest(folder);
      if (file_names(now) == file_names(manifest)) throw;
      manifest = std::move(now);
    }
  }
}

StateDict Checkpoint::state(const std::string& part) const {
  const auto found = parts.find(part);
  require(found != parts.end(), "the checkpoint has no part named ", part);
  return data::load(found->second);
}

}  // namespace weft::train
