// VHLO's attributes.
#include <algorithm>
#include <iterator>

#include <weft/ir/bytecode/attributes.h>
#include <weft/ir/bytecode/vhlo_codes.h>

namespace weft::ir::bytecode {

Attribute AttributeDecoder::vhlo(Context& c) {
  const std::uint64_t code = c.in.number();
  Attribute result;
  switch (code) {
    case vhlo_array: return list(c);
    case vhlo_boolean:
      result.kind = Attribute::Kind::boolean;
      result.integer = static_cast<std::int64_t>(c.in.index(2, "truth value"));
      return result;
    case vhlo_api_version:
      result.kind = Attribute::Kind::integer;
      result.integer = static_cast<std::int64_t>(c.in.number() & 0xff);
      result.type = Type(DType::i32, {});
      return result;
    case vhlo_dictionary: return dictionary(c);
    case vhlo_float: return real(c);
    case vhlo_integer: return integer(c);
    case vhlo_output_alias: return output_alias(c);
    case vhlo_string: return quoted(c, Attribute::Kind::string);
    case vhlo_tensor: return packed_tensor(c);
    case vhlo_type: return type(c);
    case vhlo_accuracy: return accuracy(c);
    case vhlo_axis: return axis(c);
    case vhlo_mesh_axes: return mesh_axes(c);
    case vhlo_mesh_axis: return mesh_axis(c);
    case vhlo_mesh: return mesh(c);
    default: return word(c, code);
  }
}

Attribute AttributeDecoder::word(Context& c, std::uint64_t code) {
  const auto* const known = std::ranges::find(enumerations, code, &Enumeration::code);
  if (known == std::end(enumerations))
    fail_unsupported(c, concat("the VHLO attribute ", code, " is not supported"), "VHLO attributes");
  const std::uint64_t number = c.in.number() - known->first;
  Attribute result;
  result.kind = Attribute::Kind::word;
  result.text = known->words[c.in.checked_index(number, known->words.size(), "word of an enumeration")];
  return result;
}

// Booleans are packed, eight in a byte; a byte of ones or of zeros may be a splat. Older writers did not pack them.
Attribute AttributeDecoder::packed_tensor(Context& c) {
  Attribute result = tensor(c);
  if (!result.type || result.type.is_complex || result.type.part.dtype() != DType::boolean) return result;
  constexpr std::string_view one("\1", 1);
  const std::string_view packed = result.text;
  const auto elements = static_cast<std::size_t>(result.type.part.elements());
  if (packed == "\xff") {
    result.text = one;
  } else if (packed.size() == 1 && packed[0] == '\0') {
    return result;
  } else if (packed.size() == (elements + 7) / 8 && packed.size() != elements) {
    std::string unpacked(elements, '\0');
    for (std::size_t i = 0; i < elements; ++i)
      unpacked[i] = static_cast<char>(static_cast<unsigned char>(packed[i / 8]) >> (i % 8) & 1);
    result.text = keep(std::move(unpacked));
  }
  return result;
}

namespace {

Attribute signed_integer(std::int64_t value) {
  Attribute result;
  result.kind = Attribute::Kind::integer;
  result.integer = value;
  result.type = Type(DType::i64, {});
  return result;
}

Attribute signed_integers(const std::vector<std::int64_t>& values) {
  Attribute result;
  result.kind = Attribute::Kind::list;
  for (const std::int64_t value : values) result.items.push_back(signed_integer(value));
  return result;
}

}  // namespace

Attribute AttributeDecoder::output_alias(Context& c) {
  Attribute result;
  result.kind = Attribute::Kind::dictionary;
  result.fields.push_back({"output_tuple_indices", signed_integers(numbers(c.in))});
  result.fields.push_back({"operand_index", signed_integer(c.in.signed_number())});
  result.fields.push_back({"operand_tuple_indices", signed_integers(numbers(c.in))});
  spend((result.fields[0].value.items.size() + result.fields[2].value.items.size()) * sizeof(Attribute));
  return result;
}

Attribute AttributeDecoder::accuracy(Context& c) {
  const ElementType wide{"f64", 64, DType::f64};
  Attribute result;
  result.kind = Attribute::Kind::dictionary;
  result.fields.push_back({"atol", real_number(c.in, wide, c.owner)});
  result.fields.push_back({"rtol", real_number(c.in, wide, c.owner)});
  result.fields.push_back({"ulps", signed_integer(c.in.signed_number())});
  result.fields.push_back({"mode", next(c.in, c.owner)});
  return result;
}

}  // namespace weft::ir::bytecode
