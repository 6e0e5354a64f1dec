// The settings of a recorded run that are not the default, and which of them slow a program down.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <weft/profile/losses.h>

namespace weft::profile {

// Returns the knobs of this process that differ from their defaults: {variable: [value, default]}.
nlohmann::json settings_now();

struct SlowSetting {
  std::string variable, value, usual;  // for example WEFT_FUSE, 0, 1
  std::string reason, remedy;
  std::optional<Loss> loss;   // the loss that it explains; nullopt if its cost is unknown
  bool slows_kernels = true;  // so the times of operations are not those of an ordinary run
};

// Reads a number from a recording's `about`, whatever that contains.
double about_number(const nlohmann::json& about, const char* key);  // 0 if there is none
std::vector<SlowSetting> slow_settings(const nlohmann::json& about);

}  // namespace weft::profile
