#include <weft/ir/bytecode/locations.h>

#include <weft/ir/bytecode/builtin_codes.h>
#include <weft/ir/text/location.h>

namespace weft::ir::bytecode {

namespace {

// Returns the characters of a builtin string attribute.
std::string_view string_at(const text::Source& source, const Container& container, ByteReader& in) {
  const Entry& entry = container.attributes[in.index(container.attributes.size(), "attribute")];
  ByteReader string(source, entry.extent.at, entry.extent.end);
  if (static_cast<BuiltinAttribute>(string.number()) != BuiltinAttribute::string)
    in.fail("expected a name in a location to be a string");
  return container.strings[string.index(container.strings.size(), "string")];
}

}  // namespace

const Location* LocationDecoder::decode(std::size_t index) {
  const ByteReader file(source_, 0, 0);
  std::optional<Location>& known = known_[file.checked_index(index, known_.size(), "attribute")];
  if (!known) known = decoded(index);
  return &*known;
}

Location LocationDecoder::decoded(std::size_t index) {
  const Entry& entry = container_.attributes[index];
  ByteReader in(source_, entry.extent.at, entry.extent.end);
  if (container_.dialects[entry.dialect] != "builtin" || entry.is_text) return {};
  if (++depth_ > max_depth_) in.fail(concat("location: nested more than ", max_depth_, " deep"));
  const Location location = read(in);
  --depth_;
  return location;
}

Location LocationDecoder::first_of(ByteReader& in, std::size_t count) {
  Location result;
  for (std::size_t i = 0; i < count; ++i) result = text::prefer(result, *decode(in.number()));
  return result;
}

Location LocationDecoder::read(ByteReader in) {
  switch (static_cast<BuiltinAttribute>(in.number())) {
    case BuiltinAttribute::callsite_location: return first_of(in, 2);
    case BuiltinAttribute::fused_location:
    case BuiltinAttribute::fused_location_with_metadata: return first_of(in, in.count("locations"));
    case BuiltinAttribute::name_location: {
      const std::string_view name = string_at(source_, container_, in);
      Location location = *decode(in.number());
      location.scope = text::intern(name);
      return location;
    }
    case BuiltinAttribute::file_location: {
      const std::string_view file = string_at(source_, container_, in);
      return {.file = text::intern(file), .line = static_cast<std::uint32_t>(in.number())};
    }
    case BuiltinAttribute::file_range_location: {
      // The numbers are line, column, end line and end column, of which the last ones may be left out.
      const std::string_view file = string_at(source_, container_, in);
      const std::size_t numbers = in.count("numbers of a place");
      return {.file = text::intern(file), .line = numbers > 0 ? static_cast<std::uint32_t>(in.number()) : 0};
    }
    default: return {};
  }
}

}  // namespace weft::ir::bytecode
