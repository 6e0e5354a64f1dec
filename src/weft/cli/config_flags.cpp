#include <weft/cli/config_flags.h>

#include <algorithm>

namespace weft::cli {

std::string flag_name(std::string field) {
  std::ranges::replace(field, '_', '-');
  return "--" + field;
}

std::string led_by_flag(const std::string& message) {
  const std::size_t end = message.find(' ');
  return flag_name(message.substr(0, end)) + message.substr(end);
}

}  // namespace weft::cli
