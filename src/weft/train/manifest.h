// The manifest of a checkpoint, as text. For checkpoint.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <weft/train/settings.h>

namespace weft::train {

struct ManifestFile {
  std::string name;  // in the manifest's folder: PART-STEP-DIGEST.safetensors
  std::uint64_t bytes = 0;
  std::string digest;  // XXH3-128 in hex
};

struct Manifest {
  std::int64_t step = 0;
  Settings config;
  std::map<std::string, ManifestFile> files;  // by part
};

std::string part_file_name(std::string_view part, std::int64_t step, std::string_view digest);
bool is_part_file_name(const std::string& name);  // of any part, step and digest

std::string print_manifest(const Manifest& manifest);  // JSON
// Throws Error with the reason: damage, or a version this library does not know.
Manifest parse_manifest(const std::string& text);

}  // namespace weft::train
