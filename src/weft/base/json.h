// JSON from untrusted files: parsed with a limit on nesting, and read with checks of every type and range. What is wrong is
// reported by an Error that names the member; no exception of the JSON library leaves these functions.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <weft/base/error.h>

namespace weft {

// Returns the value of a JSON text. If an object has two members of one name, the last counts. Throws Error with the byte
// offset at which the text stops being JSON, and for lists and objects nested more than 64 deep.
nlohmann::json parse_json(std::string_view text);

// Returns the text of a value, in one line or with `indent` blanks for each level. Bytes that are not UTF-8 become U+FFFD.
template <class Json>
std::string print_json(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// A JSON value, with the name that messages use for it: the name of the member that holds it. It refers to the JSON that it was
// made from. Each function throws Error ("'bytes' must be a whole number from 0 to 255, is a text") if the value is of another
// kind.
class JsonValue {
 public:
  explicit JsonValue(const nlohmann::json& value, std::string_view name = "the text") : value_(&value), name_(name) {}

  JsonValue at(const char* member) const;  // a member that the object must have
  bool has(const char* member) const;      // false also if the value is not an object
  std::vector<std::pair<std::string, JsonValue>> members() const;
  std::vector<JsonValue> list() const;
  std::vector<JsonValue> list(std::size_t size) const;  // a list of exactly `size` elements
  std::string text() const;
  bool boolean() const;
  double number() const;

  template <std::integral Integer>
  Integer integer(Integer least = std::numeric_limits<Integer>::min(),
                  Integer most = std::numeric_limits<Integer>::max()) const {
    const nlohmann::json& v = *value_;
    const bool fits = v.is_number_unsigned()  ? is_between(v.get<std::uint64_t>(), least, most)
                      : v.is_number_integer() ? is_between(v.get<std::int64_t>(), least, most)
                                              : false;
    if (!fits) refuse(concat("a whole number from ", +least, " to ", +most));
    return v.get<Integer>();
  }

  // Reads the value into a variable, whose type the value must have.
  void read(bool& to) const { to = boolean(); }
  void read(double& to) const { to = number(); }
  void read(std::string& to) const { to = text(); }
  void read(std::integral auto& to) const { to = integer<std::remove_reference_t<decltype(to)>>(); }
  template <class Element>
  void read(std::vector<Element>& to) const {
    to.clear();
    for (const JsonValue& element : list()) element.read(to.emplace_back());
  }

  const nlohmann::json& value() const { return *value_; }
  // Throws the Error that says that the value is not `wanted`.
  [[noreturn]] void refuse(std::string_view wanted) const;

 private:
  template <class Number, class Integer>
  static bool is_between(Number number, Integer least, Integer most) {
    return std::cmp_less_equal(least, number) && std::cmp_less_equal(number, most);
  }

  const nlohmann::json* value_;
  std::string_view name_;
};

}  // namespace weft
