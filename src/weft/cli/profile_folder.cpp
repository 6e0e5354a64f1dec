#include <weft/cli/profile_folder.h>

#include <array>
#include <ctime>
#include <iostream>
#include <span>

#include <weft/base/error.h>
#include <weft/runtime/ranks.h>

namespace weft::cli {

namespace {

constexpr const char* parent = "weft-profile";

std::filesystem::path free_folder() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char name[32];
  std::strftime(name, sizeof name, "%Y%m%d-%H%M%S", &local);
  std::filesystem::path folder = std::filesystem::path(parent) / name;
  for (int i = 2; std::filesystem::exists(folder); ++i) folder = std::filesystem::path(parent) / concat(name, '-', i);
  return folder;
}

}  // namespace

std::filesystem::path new_profile_folder() {
  std::array<char, 256> chosen{};
  if (runtime::ranks().is_first()) free_folder().string().copy(chosen.data(), chosen.size() - 1);
  runtime::broadcast("the folder of the profile", std::as_writable_bytes(std::span(chosen)));
  return chosen.data();
}

std::filesystem::path last_profile_folder() {
  std::filesystem::path last;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(parent, none))
    if (std::filesystem::exists(entry.path() / profile::recording_file) && entry.path() > last) last = entry.path();
  require(!last.empty(), parent, ": there is no profile here; `weft profile -- COMMAND` makes one");
  return last;
}

void warn_of_gaps(const profile::Recording& recording) {
  for (const std::string& note : recording.notes)
    std::cerr << "warning: " << recording.file.string() << ": " << note << std::endl;
}

}  // namespace weft::cli
