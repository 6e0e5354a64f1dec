#include <weft/base/json.h>

namespace weft {

namespace {

using nlohmann::json;

constexpr std::size_t most_nested = 64;

// Receives the events of nlohmann's parser and builds the value.
class Builder {
 public:
  json take() && { return std::move(root_); }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(std::int64_t value) { return add(value); }
  bool number_unsigned(std::uint64_t value) { return add(value); }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(std::vector<std::uint8_t>&) { return false; }  // does not occur in text
  bool start_object(std::size_t) { return open(json::object()); }
  bool start_array(std::size_t) { return open(json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const json::exception&) {
    fail("it is not JSON (byte ", position, ")");
  }

 private:
  json& place(json value) {
    if (open_.empty()) return root_ = std::move(value);
    json& parent = *open_.back();
    if (parent.is_object()) return parent[key_] = std::move(value);
    parent.push_back(std::move(value));
    return parent.back();
  }
  bool add(json value) {
    place(std::move(value));
    return true;
  }
  bool open(json value) {
    require(open_.size() < most_nested, "its JSON is nested more than ", most_nested, " deep");
    open_.push_back(&place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  json root_;
  std::vector<json*> open_;  // the lists and objects that are still open, the outermost first
  std::string key_;
};

std::string kind_of(const json& value) {
  switch (value.type()) {
    case json::value_t::null: return "null";
    case json::value_t::object: return "an object";
    case json::value_t::array: return concat("a list of ", value.size());
    case json::value_t::string: return "a text";
    case json::value_t::boolean: return "a boolean";
    default: return value.dump();  // numbers
  }
}

}  // namespace

json parse_json(std::string_view text) {
  Builder builder;
  json::sax_parse(text.begin(), text.end(), &builder);
  return std::move(builder).take();
}

void JsonValue::refuse(std::string_view wanted) const {
  fail('\'', name_, "' must be ", wanted, ", is ", kind_of(*value_));
}

JsonValue JsonValue::at(const char* member) const {
  if (!value_->is_object()) refuse("an object");
  const auto found = value_->find(member);
  require(found != value_->end(), '\'', name_, "' has no member '", member, '\'');
  return JsonValue(*found, member);
}

bool JsonValue::has(const char* member) const { return value_->is_object() && value_->contains(member); }

std::vector<std::pair<std::string, JsonValue>> JsonValue::members() const {
  if (!value_->is_object()) refuse("an object");
  std::vector<std::pair<std::string, JsonValue>> all;
  for (auto it = value_->begin(); it != value_->end(); ++it) all.emplace_back(it.key(), JsonValue(*it, it.key()));
  return all;
}

std::vector<JsonValue> JsonValue::list() const {
  if (!value_->is_array()) refuse("a list");
  std::vector<JsonValue> all;
  all.reserve(value_->size());
  for (const json& element : *value_) all.emplace_back(element, name_);
  return all;
}

std::vector<JsonValue> JsonValue::list(std::size_t size) const {
  if (!value_->is_array() || value_->size() != size) refuse(concat("a list of ", size));
  return list();
}

std::string JsonValue::text() const {
  if (!value_->is_string()) refuse("a text");
  return value_->get<std::string>();
}

bool JsonValue::boolean() const {
  if (!value_->is_boolean()) refuse("true or false");
  return value_->get<bool>();
}

double JsonValue::number() const {
  if (!value_->is_number()) refuse("a number");
  return value_->get<double>();
}

}  // namespace weft
