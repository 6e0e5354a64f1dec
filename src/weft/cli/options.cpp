#include <weft/cli/options.h>

#include <charconv>
#include <cmath>
#include <functional>
#include <optional>

#include <CLI/CLI.hpp>
#include <system_error>

#include <weft/base/error.h>
#include <weft/base/magnitude.h>

namespace weft::cli {

namespace {

// Parses the whole of `text` as a number; nullopt for other text and for numbers out of the type's range.
template <class T>
std::optional<T> number(const std::string& text) {
  T value{};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string describe(IntegerRange range) {
  constexpr IntegerRange all;
  if (range.low == all.low && range.high == all.high) return "a whole number of 64 bits";
  if (range.high == all.high) return concat("a whole number, at least ", range.low);
  return concat("a whole number from ", range.low, " to ", range.high);
}

std::string describe(RealRange range) {
  switch (range) {
    case RealRange::finite: return "a number";
    case RealRange::not_negative: return "a number, at least 0";
    case RealRange::positive: return "a number above 0";
  }
  return {};
}

[[noreturn]] void refuse(const std::string& flag, const std::string& expected, const std::string& given) {
  throw CLI::ValidationError(concat(flag, " must be ", expected, ", got '", given, "'"));
}

CLI::Option* declare(CLI::App& command, const std::string& flag, const std::string& help, const char* type,
                     std::function<void(const std::string&)> take) {
  return command.add_option_function<std::string>(flag, std::move(take), help)->type_name(type);
}

}  // namespace

CLI::Option* add_integer(CLI::App& command, const std::string& flag, std::int64_t& value, const std::string& help,
                         IntegerRange range) {
  return declare(command, flag, help, "INTEGER", [&value, flag, range](const std::string& text) {
    const auto given = number<std::int64_t>(text);
    if (!given || *given < range.low || *given > range.high) refuse(flag, describe(range), text);
    value = *given;
  });
}

CLI::Option* add_bytes(CLI::App& command, const std::string& flag, std::int64_t& value, const std::string& help) {
  return declare(command, flag, help, "BYTES", [&value, flag](const std::string& text) {
    const auto given = parse_magnitude(text);
    if (!given) refuse(flag, "a whole number, optionally followed by K, M or G", text);
    value = *given;
  });
}

CLI::Option* add_real(CLI::App& command, const std::string& flag, double& value, const std::string& help,
                      RealRange range) {
  return declare(command, flag, help, "NUMBER", [&value, flag, range](const std::string& text) {
    const auto given = number<double>(text);
    const bool fits = given && std::isfinite(*given) && (range == RealRange::finite || *given >= 0) &&
                      (range != RealRange::positive || *given > 0);
    if (!fits) refuse(flag, describe(range), text);
    value = *given;
  });
}

CLI::Option* add_text(CLI::App& command, const std::string& flag, std::string& value, const std::string& what,
                      const std::string& help) {
  return declare(command, flag, help, "TEXT", [&value, flag, what](const std::string& text) {
    if (text.empty()) throw CLI::ValidationError(concat(flag, " must name ", what, ", got ''"));
    value = text;
  });
}

}  // namespace weft::cli
