// Settings of a recorded run that are not the default, and which of them slow a program down.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <weft/profile/losses.h>

namespace weft::profile {

// The knobs of this process that differ from their defaults: {variable: [value, default]}.
nlohmann::json settings_now();

struct SlowSetting {
  std::string variable, value, usual;  // WEFT_FUSE, 0, 1
  std::string reason, remedy;
  std::optional<Loss> loss;   // that it accounts for; nothing: what it costs is not known
  bool slows_kernels = true;  // so that the times of operations are not those of an ordinary run
};

// Reads a recording's `about`, whatever that holds.
double about_number(const nlohmann::json& about, const char* key);  // 0: there is none
std::vector<SlowSetting> slow_settings(const nlohmann::json& about);

}  // namespace weft::profile
