// Reads and writes the manifest of a checkpoint. For checkpoint.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <weft/train/settings.h>

namespace weft::train {

struct ManifestFile {
  std::string name;  // in the folder of the manifest: PART-STEP-DIGEST.safetensors
  std::uint64_t bytes = 0;
  std::string digest;  // XXH3-128 in hex
};

struct Manifest {
  std::int64_t step = 0;
  Settings config;
  std::map<std::string, ManifestFile> files;  // by part
};

std::string part_file_name(std::string_view part, std::int64_t step, std::string_view digest);
bool is_part_file_name(const std::string& name);  // with any part, step and digest

std::string print_manifest(const Manifest& manifest);  // JSON
// Throws Error with the reason: the manifest is damaged, or this library does not know its version.
Manifest parse_manifest(const std::string& text);

}  // namespace weft::train
