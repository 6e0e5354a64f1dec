#include <weft/ir/text/print_attribute.h>

#include <algorithm>

#include <weft/base/error.h>

namespace weft::ir::text {

namespace {

void print_items(std::string& out, const auto& items, const auto& print) {
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ", ";
    first = false;
    print(item);
  }
}

// Appends a name, in quotes if it is not an identifier. Its escapes are unresolved, as in a string's text.
void print_name(std::string& out, std::string_view name) {
  const bool is_plain = !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, is_name_character);
  out.append(is_plain ? "" : "\"").append(name).append(is_plain ? "" : "\"");
}

void print_field(std::string& out, const NamedAttribute& field) {
  print_name(out, field.name);
  std::string value;
  print_attribute(value, field.value);
  if (!value.empty()) out.append(" = ").append(value);
}

// Appends the type of a number, unless it is a boolean.
void print_number_type(std::string& out, const Attribute& number) {
  if (number.type) out += concat(" : ", number.type.part.dtype());
}

}  // namespace

void print_attribute(std::string& out, const Attribute& attribute) {
  if (!attribute.written.empty()) {
    out += attribute.written;
    return;
  }
  switch (attribute.kind) {
    case Attribute::Kind::unit: return;
    case Attribute::Kind::boolean: out += attribute.integer ? "true" : "false"; return;
    case Attribute::Kind::integer: out += std::to_string(attribute.integer); return print_number_type(out, attribute);
    case Attribute::Kind::real: out += attribute.text; return print_number_type(out, attribute);
    case Attribute::Kind::string: out.append(1, '"').append(attribute.text).append(1, '"'); return;
    case Attribute::Kind::symbol: out += '@'; return print_name(out, attribute.text);
    case Attribute::Kind::alias: out.append(1, '#').append(attribute.text); return;
    case Attribute::Kind::word:
    case Attribute::Kind::opaque: out += attribute.text; return;
    case Attribute::Kind::list:
      out += '[';
      print_items(out, attribute.items, [&](const Attribute& item) { print_attribute(out, item); });
      out += ']';
      return;
    case Attribute::Kind::dictionary:
      out += '{';
      print_items(out, attribute.fields, [&](const NamedAttribute& field) { print_field(out, field); });
      out += '}';
      return;
    case Attribute::Kind::integers:
      out += attribute.integers.empty() ? "array<i64" : "array<i64: ";
      print_items(out, attribute.integers, [&](std::int64_t i) { out += std::to_string(i); });
      out += '>';
      return;
    case Attribute::Kind::dense:
    case Attribute::Kind::resource: out += concat("dense<...> : ", attribute.type); return;
  }
}

}  // namespace weft::ir::text
