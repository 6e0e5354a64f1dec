#include <weft/base/knobs.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string_view>
#include <type_traits>

#include <unistd.h>

#include <weft/base/error.h>
#include <weft/base/magnitude.h>
#include <weft/base/spelling.h>

namespace weft::knobs {

namespace {

std::mutex mutex;

std::string variable_of(std::string_view name) {
  std::string variable = "WEFT_";
  for (const char c : name) variable += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return variable;
}

// The form of values of a type, for the table.
template <class T>
constexpr std::string_view type_name = "text";
template <>
constexpr std::string_view type_name<Switch> = "0 or 1";
template <>
constexpr std::string_view type_name<Integer> = "integer";
template <>
constexpr std::string_view type_name<Real> = "number";

// The same for messages.
template <class T>
constexpr std::string_view form_of = type_name<T>;
template <>
constexpr std::string_view form_of<Integer> = "a whole number, at least 0";
template <>
constexpr std::string_view form_of<Real> = "a number";

bool parse(std::string_view text, Switch& value) {
  value = text == "1" || text == "true" || text == "on";
  return value || text == "0" || text == "false" || text == "off";
}

bool parse(std::string_view text, Integer& value) {
  const auto parsed = parse_magnitude(text);
  value = parsed.value_or(0);
  return parsed.has_value();
}

bool parse(std::string_view text, Real& value) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && rest == text.data() + text.size();
}

bool parse(std::string_view text, Text& value) {
  value = text;
  return true;
}

template <class T>
Row row(const Knob<T>& knob) {
  return {
      knob.name(), variable_of(knob.name()), std::string(type_name<T>), concat(knob.default_value()), concat(knob()),
      knob.help()};
}

}  // namespace

template <class T>
const T* Knob<T>::keep(T value) {
  static auto* kept = new std::deque<T>;  // never destroyed: knobs are read until the process ends
  const std::lock_guard lock(mutex);
  return &kept->emplace_back(std::move(value));
}

template <class T>
const T* Knob<T>::read() const {
  T value = make_default_();
  const std::string variable = variable_of(name_);
  if (const char* text = std::getenv(variable.c_str())) {
    require(parse(text, value), variable, ": expected ", form_of<T>, ", got '", text, "'");
  }
  const T* expected = nullptr;
  const T* read = keep(std::move(value));
  return value_.compare_exchange_strong(expected, read, std::memory_order_acq_rel) ? read : expected;
}

template class Knob<Switch>;
template class Knob<Integer>;
template class Knob<Real>;
template class Knob<Text>;

std::vector<Row> table() {
#define WEFT_KNOB_ROW(name, type, default_value, help) row(name),
  return {WEFT_KNOBS(WEFT_KNOB_ROW)};
#undef WEFT_KNOB_ROW
}

void check() { (void)table(); }

namespace {

// Variables read outside the library: by bench/peers, and by CMake to find weft.
constexpr std::string_view variables_of_others[] = {
    "WEFT_PEERS_PYTHON", "WEFT_PEERS_STOCK_MKL", "WEFT_DIR",       "WEFT_JAX",
    "WEFT_JAX_LIBRARY",  "WEFT_JAX_RECORD",      "WEFT_JAX_TELLS", "WEFT_ROOT"};

std::vector<std::string> known_variables() {
#define WEFT_KNOB_VARIABLE(name, type, default_value, help) variable_of(#name),
  return {WEFT_KNOBS(WEFT_KNOB_VARIABLE)};
#undef WEFT_KNOB_VARIABLE
}

}  // namespace

std::vector<std::string> unknown_variables() {
  const std::vector<std::string> known = known_variables();
  std::vector<std::string> unknown;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const std::string variable(text.substr(0, text.find('=')));
    const auto is_in = [&](const auto& names) { return std::ranges::find(names, variable) != std::end(names); };
    if (variable.starts_with("WEFT_") && !is_in(known) && !is_in(variables_of_others)) unknown.push_back(variable);
  }
  std::ranges::sort(unknown);
  return unknown;
}

std::vector<std::string> unknown_variable_warnings() {
  const std::vector<std::string> known = known_variables();
  std::vector<std::string> warnings;
  for (const std::string& variable : unknown_variables()) {
    const auto letters = [&](const std::string& other) { return letters_between(variable, other); };
    const std::string& nearest = *std::ranges::min_element(known, {}, letters);
    const std::size_t own = variable.size() - variable_of("").size();
    const bool is_near = letters(nearest) <= (own + 1) / 2;
    warnings.push_back(concat(variable, " is not a knob; ",
                              is_near ? concat("did you mean ", nearest, '?')
                                      : concat("the nearest is ", nearest, ", `weft knobs` shows all")));
  }
  return warnings;
}

}  // namespace weft::knobs
