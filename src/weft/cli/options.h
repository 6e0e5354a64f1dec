// Options with strict parsing: the whole text must be a value within its range. Otherwise the command line is rejected
// with one line that names the flag, the valid values and the given one.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace weft::cli {

struct IntegerRange {
  std::int64_t low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
};
enum class RealRange : std::uint8_t { finite, not_negative, positive };

// Each function declares `flag` on `command` and writes its value to `value`, which must outlive the parse.
CLI::Option* add_integer(CLI::App& command, const std::string& flag, std::int64_t& value, const std::string& help,
                         IntegerRange range = {});
// A size in the same form as in knobs: 500K, 2M, 1G.
CLI::Option* add_bytes(CLI::App& command, const std::string& flag, std::int64_t& value, const std::string& help);
CLI::Option* add_real(CLI::App& command, const std::string& flag, double& value, const std::string& help,
                      RealRange range = RealRange::finite);
// `what` describes the text in messages; an empty text is rejected.
CLI::Option* add_text(CLI::App& command, const std::string& flag, std::string& value, const std::string& what,
                      const std::string& help);

}  // namespace weft::cli
