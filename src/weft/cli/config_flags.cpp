#include <weft/cli/config_flags.h>

#include <algorithm>
#include <iterator>

#include <weft/train/recipe.h>

namespace weft::cli {

std::string flag_name(std::string field) {
  std::ranges::replace(field, '_', '-');
  return "--" + field;
}

std::string default_text(std::string_view field, std::string value) {
  const auto fitted = std::ranges::find(train::Recipe::schedule, field, &train::Recipe::Fitted::field);
  if (fitted == std::end(train::Recipe::schedule)) return value;
  return field == "warmup" ? concat(fitted->value, ' ', value) : std::string(fitted->value);
}

std::string led_by_flag(const std::string& message) {
  const std::size_t end = message.find(' ');
  return flag_name(message.substr(0, end)) + message.substr(end);
}

}  // namespace weft::cli
