#include <weft/train/settings.h>

#include <charconv>
#include <set>

#include <weft/base/error.h>

namespace weft::train {

std::string to_string(const Setting& setting) {
  if (const auto* flag = std::get_if<bool>(&setting)) return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&setting)) return std::to_string(*integer);
  if (const auto* text = std::get_if<std::string>(&setting)) return *text;
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, std::get<double>(setting)).ptr};
}

std::string differences(const Settings& saved, const Settings& current, const std::string& saved_name,
                        const std::string& current_name) {
  std::set<std::string> names;
  for (const auto& [name, setting] : saved) names.insert(name);
  for (const auto& [name, setting] : current) names.insert(name);
  const auto shown = [](const Settings& settings, const std::string& name) {
    const auto found = settings.find(name);
    return found == settings.end() ? "not set" : to_string(found->second);
  };
  std::string result;
  for (const std::string& name : names) {
    const std::string before = shown(saved, name), now = shown(current, name);
    if (before == now) continue;
    result += concat(result.empty() ? "" : ", ", name, " is ", before, " in ", saved_name, " and ", now, " in ",
                     current_name);
  }
  return result;
}

}  // namespace weft::train
