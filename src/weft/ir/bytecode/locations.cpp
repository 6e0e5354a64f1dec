#include <weft/ir/bytecode/locations.h>

#include <weft/ir/bytecode/builtin_codes.h>
#include <weft/ir/text/location.h>

namespace weft::ir::bytecode {

const char* LocationDecoder::name(ByteReader& in) {
  const Entry& entry = container_.attributes[in.index(container_.attributes.size(), "attribute")];
  ByteReader string(source_, entry.extent.at, entry.extent.end);
  if (static_cast<BuiltinAttribute>(string.number()) != BuiltinAttribute::string)
    in.fail("expected a name in a location to be a string");
  const std::size_t index = string.index(names_.size(), "string");
  if (!names_[index]) names_[index] = text::intern(container_.strings[index]);
  return names_[index];
}

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
      const char* const scope = name(in);
      Location location = *decode(in.number());
      location.scope = scope;
      return location;
    }
    case BuiltinAttribute::file_location: {
      const char* const file = name(in);
      return {.file = file, .line = static_cast<std::uint32_t>(in.number())};
    }
    case BuiltinAttribute::file_range_location: {
      // The numbers are line, column, end line and end column, of which the last ones may be left out.
      const char* const file = name(in);
      const std::size_t numbers = in.count("numbers of a place");
      return {.file = file, .line = numbers > 0 ? static_cast<std::uint32_t>(in.number()) : 0};
    }
    default: return {};
  }
}

}  // namespace weft::ir::bytecode
