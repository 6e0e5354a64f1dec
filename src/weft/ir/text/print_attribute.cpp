#include <weft/ir/text/print_attribute.h>

#include <weft/base/error.h>
#include <weft/ir/text/literal.h>

namespace weft::ir::text {

namespace {

void append_attribute(std::string& out, const Attribute& attribute, bool is_in_list);

// Appends the elements if they are numbers, all of them or one for all.
void append_dense(std::string& out, const Attribute& dense) {
  const Literal literal{dense.type.part, std::as_bytes(std::span(dense.text))};
  const bool is_complete = std::ssize(literal.bytes) == literal.type.bytes() || literal.is_splat();
  if (dense.is_raw && !dense.type.is_complex && is_complete) return print_dense(out, literal);
  out += concat("dense<...> : ", dense.type);
}

void print_items(std::string& out, const auto& items, const auto& print) {
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ", ";
    first = false;
    print(item);
  }
}

void print_field(std::string& out, const NamedAttribute& field) {
  print_name(out, field.name);
  std::string value;
  append_attribute(value, field.value, false);
  if (!value.empty()) out.append(" = ").append(value);
}

// Appends the type of a number. In lists, MLIR leaves out the types that numbers have by themselves.
void print_number_type(std::string& out, const Attribute& number, bool is_in_list) {
  if (!number.type) return;
  const DType dtype = number.type.part.dtype();
  if (!is_in_list || (dtype != DType::i64 && dtype != DType::f64)) out += concat(" : ", dtype);
}

void append_attribute(std::string& out, const Attribute& attribute, bool is_in_list) {
  if (!attribute.written.empty()) {
    out += attribute.written;
    return;
  }
  switch (attribute.kind) {
    case Attribute::Kind::unit: return;
    case Attribute::Kind::boolean: out += attribute.integer ? "true" : "false"; return;
    case Attribute::Kind::integer:
      out += std::to_string(attribute.integer);
      return print_number_type(out, attribute, is_in_list);
    case Attribute::Kind::real: out += attribute.text; return print_number_type(out, attribute, is_in_list);
    case Attribute::Kind::string: out.append(1, '"').append(attribute.text).append(1, '"'); return;
    case Attribute::Kind::symbol: out += '@'; return print_name(out, attribute.text);
    case Attribute::Kind::alias: out.append(1, '#').append(attribute.text); return;
    case Attribute::Kind::word:
    case Attribute::Kind::opaque: out += attribute.text; return;
    case Attribute::Kind::list:
      out += '[';
      print_items(out, attribute.items, [&](const Attribute& item) { append_attribute(out, item, true); });
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
    case Attribute::Kind::dense: return append_dense(out, attribute);
    case Attribute::Kind::resource: out.append("dense_resource<").append(attribute.text).append(">"); return;
  }
}

}  // namespace

void print_name(std::string& out, std::string_view name) {
  const std::string_view quote = is_identifier(name) ? "" : "\"";
  out.append(quote).append(name).append(quote);
}

void print_attribute(std::string& out, const Attribute& attribute) { append_attribute(out, attribute, false); }

}  // namespace weft::ir::text
