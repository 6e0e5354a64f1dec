#include <weft/ir/bytecode/attribute_encoder.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include <weft/ir/bytecode/builtin_codes.h>
#include <weft/ir/bytecode/sdy_encoder.h>
#include <weft/ir/bytecode/vhlo_codes.h>
#include <weft/ir/text/literal.h>

namespace weft::ir::bytecode {

namespace {

// The codes of attributes that both dialects encode in the same way.
struct Codes {
  std::uint64_t list, dictionary, string, integer, real, type;
};
constexpr std::uint64_t code(BuiltinAttribute attribute) { return static_cast<std::uint64_t>(attribute); }
constexpr Codes vhlo_attribute_codes = {vhlo_array, vhlo_dictionary, vhlo_string, vhlo_integer, vhlo_float, vhlo_type};
constexpr Codes builtin_attribute_codes = {code(BuiltinAttribute::array),  code(BuiltinAttribute::dictionary),
                                           code(BuiltinAttribute::string), code(BuiltinAttribute::integer),
                                           code(BuiltinAttribute::real),   code(BuiltinAttribute::type)};
const Codes& codes(Dialect dialect) {
  return dialect == Dialect::vhlo ? vhlo_attribute_codes : builtin_attribute_codes;
}

// Numbers of up to eight bits take one byte.
void write_bits(ByteWriter& out, std::uint64_t bits, std::size_t bytes) {
  if (bytes == 1)
    out.byte(static_cast<std::uint8_t>(bits));
  else
    out.signed_number(static_cast<std::int64_t>(bits));
}

// Returns the bits of a number that has this many bytes.
std::uint64_t low_bits(std::int64_t value, std::size_t bytes) {
  const int unused = 64 - 8 * static_cast<int>(bytes);
  return static_cast<std::uint64_t>(value) << unused >> unused;
}

}  // namespace

void AttributeEncoder::refuse(const Attribute& attribute) {
  const std::string_view text = attribute.written.empty() ? attribute.text : attribute.written;
  context_.fail(concat("bytecode cannot hold the attribute ", text.substr(0, 60)));
}

std::uint64_t AttributeEncoder::add(Dialect dialect, const ByteWriter& encoding) {
  return context_.container.attribute(dialect == Dialect::vhlo ? "vhlo" : "builtin", encoding);
}

std::uint64_t AttributeEncoder::encode(const Attribute& attribute, Dialect dialect) {
  switch (attribute.kind) {
    case Attribute::Kind::unit: return add(Dialect::builtin, ByteWriter().number(code(BuiltinAttribute::unit)));
    case Attribute::Kind::boolean: return boolean(attribute, dialect);
    case Attribute::Kind::integer: return integer(attribute, dialect);
    case Attribute::Kind::real: return real(attribute, dialect);
    case Attribute::Kind::string: return text(attribute.text, dialect);
    case Attribute::Kind::symbol: return symbol(attribute, dialect);
    case Attribute::Kind::word: return word(attribute, dialect);
    case Attribute::Kind::list: return list(attribute, dialect);
    case Attribute::Kind::dictionary: return fields(attribute, dialect);
    case Attribute::Kind::integers: return integers(attribute, dialect);
    case Attribute::Kind::dense: return dense(attribute, dialect);
    case Attribute::Kind::opaque: return opaque(attribute);
    case Attribute::Kind::resource:
    case Attribute::Kind::alias: refuse(attribute);
  }
  __builtin_unreachable();
}

std::uint64_t AttributeEncoder::encode(const NamedAttribute& attribute) {
  const Attribute& value = attribute.value;
  if (attribute.name == "api_version" && value.kind == Attribute::Kind::integer)
    return add(Dialect::vhlo, ByteWriter().number(vhlo_api_version).number(static_cast<std::uint64_t>(value.integer)));
  if (attribute.name == "result_accuracy" && value.kind == Attribute::Kind::dictionary) return accuracy(value);
  const bool is_flag = value.kind == Attribute::Kind::unit && attribute.name.find('.') == attribute.name.npos;
  if (is_flag) return add(Dialect::vhlo, ByteWriter().number(vhlo_boolean).number(1));
  return encode(value, Dialect::vhlo);
}

std::uint64_t AttributeEncoder::string(std::string_view text, Dialect dialect) {
  return add(dialect, ByteWriter().number(codes(dialect).string).number(context_.container.string(text)));
}

std::uint64_t AttributeEncoder::text(std::string_view unresolved, Dialect dialect) {
  return string(text::unescape(unresolved), dialect);
}

std::uint64_t AttributeEncoder::boolean(const Attribute& attribute, Dialect dialect) {
  const std::uint64_t truth = attribute.integer != 0 ? 1 : 0;
  if (dialect == Dialect::vhlo) return add(dialect, ByteWriter().number(vhlo_boolean).number(truth));
  ByteWriter out;
  out.number(code(BuiltinAttribute::integer)).number(types_.number("i1", dialect));
  return add(dialect, out.byte(static_cast<std::uint8_t>(truth)));
}

std::uint64_t AttributeEncoder::integer(const Attribute& attribute, Dialect dialect) {
  const DType dtype = attribute.type ? attribute.type.part.dtype() : DType::i64;
  if (!is_integer(dtype)) refuse(attribute);
  ByteWriter out;
  out.number(codes(dialect).integer).number(types_.number(concat(dtype), dialect));
  write_bits(out, low_bits(attribute.integer, byte_size(dtype)), byte_size(dtype));
  return add(dialect, out);
}

std::uint64_t AttributeEncoder::bits_of(const Attribute& real) {
  const std::string_view written = real.written.empty() ? real.text : real.written;  // with the sign
  Attribute element;
  element.kind = Attribute::Kind::dense;
  element.text = written.substr(0, written.find(" :"));
  element.type = real.type ? real.type : text::WrittenType(Type(DType::f64, {}));
  const text::Source number{element.text};
  const Literal literal = text::read_literal(number, element, element.type.part, arena_);
  std::uint64_t bits = 0;
  std::memcpy(&bits, literal.bytes.data(), literal.bytes.size());
  return bits;
}

std::uint64_t AttributeEncoder::real(const Attribute& attribute, Dialect dialect) {
  const DType dtype = attribute.type ? attribute.type.part.dtype() : DType::f64;
  ByteWriter out;
  out.number(codes(dialect).real).number(types_.number(concat(dtype), dialect));
  write_bits(out, bits_of(attribute), byte_size(dtype));
  return add(dialect, out);
}

std::uint64_t AttributeEncoder::symbol(const Attribute& attribute, Dialect dialect) {
  const std::uint64_t name = text(attribute.text, dialect);
  if (dialect == Dialect::vhlo) return name;
  return add(dialect, ByteWriter().number(code(BuiltinAttribute::flat_symbol)).number(name));
}

// #stablehlo<comparison_direction LT>, or a type of numbers.
std::uint64_t AttributeEncoder::word(const Attribute& attribute, Dialect dialect) {
  const auto is_written = [&](const Enumeration& known) {
    return attribute.written.starts_with(concat("#stablehlo<", known.name, ' '));
  };
  const auto* const known = std::ranges::find_if(enumerations, is_written);
  if (known != std::end(enumerations)) {
    const auto found = std::ranges::find(known->words, attribute.text);
    if (found == known->words.end()) refuse(attribute);
    const auto place = static_cast<std::uint64_t>(found - known->words.begin());
    return add(Dialect::vhlo, ByteWriter().number(known->code).number(known->first + place));
  }
  if (!TypeEncoder::is_number(attribute.text)) refuse(attribute);
  return add(dialect, ByteWriter().number(codes(dialect).type).number(types_.number(attribute.text, dialect)));
}

std::uint64_t AttributeEncoder::list(const Attribute& attribute, Dialect dialect) {
  std::vector<std::uint64_t> items;
  for (const Attribute& item : attribute.items) items.push_back(encode(item, dialect));
  return add(dialect, ByteWriter().number(codes(dialect).list).numbers(items));
}

std::uint64_t AttributeEncoder::fields(const Attribute& attribute, Dialect dialect) {
  ByteWriter out;
  out.number(codes(dialect).dictionary).number(attribute.fields.size());
  for (const NamedAttribute& field : attribute.fields)
    out.number(text(field.name, dialect)).number(encode(field.value, dialect));
  return add(dialect, out);
}

std::uint64_t AttributeEncoder::dictionary(std::vector<Named> fields) {
  std::ranges::sort(fields, {}, &Named::name);
  ByteWriter out;
  out.number(code(BuiltinAttribute::dictionary)).number(fields.size());
  for (const Named& field : fields) out.number(text(field.name, Dialect::builtin)).number(field.attribute);
  return add(Dialect::builtin, out);
}

// VHLO has no lists of numbers other than tensors.
std::uint64_t AttributeEncoder::integers(const Attribute& attribute, Dialect dialect) {
  if (dialect != Dialect::vhlo) refuse(attribute);
  const DType dtype = attribute.type ? attribute.type.part.dtype() : DType::i64;
  std::string bytes;
  for (const std::int64_t i : attribute.integers)
    bytes.append(reinterpret_cast<const char*>(&i),
                 byte_size(dtype));  // NOLINT: the low bytes of a little-endian number
  return tensor(Type(dtype, {std::ssize(attribute.integers)}), std::as_bytes(std::span(bytes)));
}

std::uint64_t AttributeEncoder::dense(const Attribute& attribute, Dialect dialect) {
  if (dialect != Dialect::vhlo || attribute.type.is_complex) refuse(attribute);
  const Literal literal = text::read_literal(context_.source, attribute, attribute.type.part, arena_);
  return tensor(literal.type, literal.bytes);
}

// Booleans are packed, eight in a byte; one that stands for all is a byte of ones or of zeros.
std::uint64_t AttributeEncoder::tensor(Type type, std::span<const std::byte> elements) {
  std::string bytes(reinterpret_cast<const char*>(elements.data()), elements.size());
  if (type.dtype() == DType::boolean && type.elements() > 1 && bytes.size() == 1) {
    bytes[0] = bytes[0] ? '\xff' : '\0';
  } else if (type.dtype() == DType::boolean) {
    std::string packed((bytes.size() + 7) / 8, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i)
      packed[i / 8] = static_cast<char>(packed[i / 8] | (bytes[i] ? 1 : 0) << (i % 8));
    bytes = packed;
  }
  ByteWriter out;
  out.number(vhlo_tensor).number(types_.value(type, Dialect::vhlo)).number(bytes.size()).bytes(bytes);
  return add(Dialect::vhlo, out);
}

std::uint64_t AttributeEncoder::opaque(const Attribute& attribute) {
  if (attribute.text == not_given) return add(Dialect::vhlo, ByteWriter().number(vhlo_type).number(types_.none()));
  if (!attribute.written.starts_with("#sdy")) refuse(attribute);
  return encode_sdy(context_, attribute.written);
}

std::uint64_t AttributeEncoder::accuracy(const Attribute& attribute) {
  const auto field = [&](std::string_view name) -> const Attribute& {
    const Attribute* found = text::find(attribute.fields, name);
    if (!found) context_.fail(concat("result_accuracy has no ", name));
    return *found;
  };
  ByteWriter out;
  out.number(vhlo_accuracy);
  for (const std::string_view name : {"atol", "rtol"}) write_bits(out, bits_of(field(name)), sizeof(double));
  out.signed_number(field("ulps").integer);
  return add(Dialect::vhlo, out.number(word(field("mode"), Dialect::vhlo)));
}

std::uint64_t AttributeEncoder::function_type(std::span<const text::WrittenType> arguments,
                                              std::span<const text::WrittenType> results) {
  return add(Dialect::vhlo, ByteWriter().number(vhlo_type).number(types_.function(arguments, results)));
}

// A name at a line of a file, the line, the name, or nothing; positions in the line are not known.
std::uint64_t AttributeEncoder::location(const Location& location) {
  ByteWriter out;
  std::uint64_t place = 0;
  if (text::has_file(location)) {
    out.number(code(BuiltinAttribute::file_location))
        .number(string(location.file, Dialect::builtin))
        .number(location.line)
        .number(0);
  } else {
    out.number(code(BuiltinAttribute::unknown_location));
  }
  place = add(Dialect::builtin, out);
  if (!*location.scope) return place;
  return add(Dialect::builtin, ByteWriter()
                                   .number(code(BuiltinAttribute::name_location))
                                   .number(string(location.scope, Dialect::builtin))
                                   .number(place));
}

}  // namespace weft::ir::bytecode
