#include <weft/ir/bytecode/container.h>

#include <optional>
#include <utility>

namespace weft::ir::bytecode {

namespace {

// The sections of the file, each of which may be there once.
class Sections {
 public:
  explicit Sections(ByteReader& file) {
    while (!file.is_at_end()) {
      const std::size_t at = file.at();
      const auto [id, data] = file.section();
      auto& place = found_[static_cast<std::size_t>(id)];
      if (place) file.fail(concat("section ", static_cast<int>(id), " is there twice, again at byte ", at));
      place = data;
    }
    end_ = file;
  }

  ByteReader required(SectionId id, std::string_view what) const {
    const auto& found = found_[static_cast<std::size_t>(id)];
    if (!found) end_->fail(concat("there is no section with the ", what));
    return *found;
  }
  std::optional<ByteReader> optional(SectionId id) const { return found_[static_cast<std::size_t>(id)]; }

 private:
  std::optional<ByteReader> found_[static_cast<std::size_t>(SectionId::properties) + 1], end_;
};

// The lengths come in reverse order, before the characters of all strings, each of which ends with a NUL.
std::vector<std::string_view> read_strings(ByteReader in) {
  std::vector<std::uint64_t> lengths(in.count("strings", 2));
  for (auto length = lengths.rbegin(); length != lengths.rend(); ++length) *length = in.number();
  std::vector<std::string_view> strings;
  strings.reserve(lengths.size());
  for (const std::uint64_t length : lengths) {
    const std::string_view text = in.bytes(length);
    if (text.empty() || text.back() != '\0') in.fail("expected a string to end with a NUL");
    strings.push_back(text.substr(0, text.size() - 1));
  }
  return strings;
}

void read_dialects(ByteReader in, Container& out) {
  const auto string = [&](std::uint64_t index) {
    return out.strings[in.checked_index(index, out.strings.size(), "string")];
  };
  const std::size_t count = in.count("dialects");
  for (std::size_t i = 0; i < count; ++i) {
    if (out.version < has_dialect_versions) {
      out.dialects.push_back(string(in.number()));
      continue;
    }
    const auto [name, is_versioned] = in.flagged();
    out.dialects.push_back(string(name));
    if (is_versioned) in.section();
  }
  if (out.version >= omits_unknown_locations) in.number();  // the number of all operation names
  while (!in.is_at_end()) {
    const auto dialect = static_cast<std::uint32_t>(in.index(out.dialects.size(), "dialect"));
    const std::size_t names = in.count("operation names");
    for (std::size_t i = 0; i < names; ++i) {
      const std::uint64_t name = out.version < has_properties ? in.number() : in.flagged().number;
      out.operations.push_back({dialect, string(name)});
    }
  }
}

// The sizes come in groups of one dialect, first those of all attributes, then those of all types.
void read_entries(ByteReader sizes, ByteReader data, Container& out) {
  const std::uint64_t counts[] = {sizes.number(), sizes.number()};
  std::vector<Entry>* const tables[] = {&out.attributes, &out.types};
  for (int which = 0; which < 2; ++which) {
    std::vector<Entry>& table = *tables[which];
    table.reserve(sizes.checked_count(counts[which], which == 0 ? "attributes" : "types"));
    while (table.size() < counts[which]) {
      const auto dialect = static_cast<std::uint32_t>(sizes.index(out.dialects.size(), "dialect"));
      const std::size_t group = sizes.count("attributes of a dialect");
      if (group > counts[which] - table.size()) sizes.fail("a dialect has more attributes than there are");
      for (std::size_t i = 0; i < group; ++i) {
        const auto [size, is_encoded] = sizes.flagged();
        const std::size_t at = data.at();
        data.part(size);
        table.push_back({dialect, !is_encoded, {at, data.at()}});
      }
    }
  }
}

std::vector<Extent> read_properties(ByteReader in) {
  std::vector<Extent> properties(in.count("properties"));
  for (Extent& extent : properties) {
    const ByteReader part = in.part(in.number());
    extent = {part.at(), part.at() + part.left()};
  }
  return properties;
}

}  // namespace

Container read_container(const text::Source& source) {
  ByteReader file(source, std::min(magic.size(), source.text.size()), source.text.size());
  Container out;
  out.version = file.number();
  if (out.version > newest_container)
    source.fail_unsupported(magic.size(),
                            concat("the bytecode is of version ", out.version, "; weft reads up to ",
                                   static_cast<std::uint64_t>(newest_container)),
                            "MLIR bytecode");
  out.producer = file.text();
  const Sections sections(file);
  out.strings = read_strings(sections.required(SectionId::strings, "strings"));
  read_dialects(sections.required(SectionId::dialects, "dialects"), out);
  read_entries(sections.required(SectionId::offsets, "sizes of the attributes"),
               sections.required(SectionId::attributes_and_types, "attributes"), out);
  if (const auto properties = sections.optional(SectionId::properties); properties && !properties->is_at_end())
    out.properties = read_properties(*properties);
  const ByteReader ir = sections.required(SectionId::ir, "operations");
  out.ir = {ir.at(), ir.at() + ir.left()};
  return out;
}

}  // namespace weft::ir::bytecode
