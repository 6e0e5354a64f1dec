#include <weft/ir/bytecode/container_writer.h>

#include <algorithm>
#include <utility>

namespace weft::ir::bytecode {

std::uint64_t ContainerWriter::Table::at(std::string_view text) {
  const auto [place, is_new] = places_.try_emplace(std::string(text), places_.size());
  if (is_new) texts_.push_back(&place->first);
  return place->second;
}

std::uint64_t ContainerWriter::string(std::string_view text) { return strings_.at(text); }

std::uint64_t ContainerWriter::add(Entries& entries, std::string_view dialect, std::string_view text) {
  const std::uint64_t owner = dialects_.at(dialect);
  std::string key = concat(dialect, '\0');
  const std::uint64_t place = entries.table.at(key.append(text));
  if (place == entries.dialects.size()) entries.dialects.push_back(owner);
  return place;
}

std::uint64_t ContainerWriter::operation(std::string_view dialect, std::string_view name) {
  return add(operations_, dialect, name);
}

std::uint64_t ContainerWriter::attribute(std::string_view dialect, ByteWriter encoding) {
  return add(attributes_, dialect, encoding.written());
}

std::uint64_t ContainerWriter::type(std::string_view dialect, ByteWriter encoding) {
  return add(types_, dialect, encoding.written());
}

std::uint64_t ContainerWriter::properties(ByteWriter encoding) { return properties_.at(encoding.written()); }

std::string_view ContainerWriter::encoding(const Entries& entries, std::size_t i) {
  const std::string_view key = *entries.table.texts()[i];
  return key.substr(key.find('\0') + 1);
}

void ContainerWriter::groups(ByteWriter& out, const Entries& entries, auto&& write) {
  const std::vector<std::uint64_t>& dialects = entries.dialects;
  for (std::size_t first = 0; first < dialects.size();) {
    std::size_t last = first;
    while (last < dialects.size() && dialects[last] == dialects[first]) ++last;
    out.number(dialects[first]).number(last - first);
    for (; first < last; ++first) write(encoding(entries, first));
  }
}

ByteWriter ContainerWriter::dialect_section() {
  ByteWriter out;
  out.number(dialects_.texts().size());
  const bool has_flag = version_ >= has_dialect_versions;
  for (const std::string* name : dialects_.texts())
    has_flag ? out.flagged(string(*name), false) : out.number(string(*name));
  if (version_ >= omits_unknown_locations) out.number(operations_.dialects.size());
  groups(out, operations_, [&](std::string_view name) {
    constexpr bool is_registered = true;
    version_ >= has_properties ? out.flagged(string(name), is_registered) : out.number(string(name));
  });
  return out;
}

// The lengths come in reverse order, before the characters of all strings, each of which ends with a NUL.
ByteWriter ContainerWriter::string_section() const {
  ByteWriter out;
  const auto& strings = strings_.texts();
  out.number(strings.size());
  for (auto text = strings.rbegin(); text != strings.rend(); ++text) out.number((*text)->size() + 1);
  for (const std::string* text : strings) out.text(*text);
  return out;
}

std::string ContainerWriter::finish(std::string_view producer, const ByteWriter& ir) {
  ByteWriter sizes, data, properties, file;
  sizes.number(attributes_.dialects.size()).number(types_.dialects.size());
  for (const Entries* entries : {&attributes_, &types_})
    groups(sizes, *entries, [&](std::string_view encoding) {
      constexpr bool is_encoded = true;
      sizes.flagged(encoding.size(), is_encoded);
      data.bytes(encoding);
    });
  if (!properties_.texts().empty()) properties.number(properties_.texts().size());
  for (const std::string* encoding : properties_.texts()) properties.number(encoding->size()).bytes(*encoding);
  const ByteWriter dialects = dialect_section();  // adds strings
  file.bytes(magic).number(version_).text(producer);
  file.section(SectionId::dialects, dialects)
      .section(SectionId::attributes_and_types, data)
      .section(SectionId::offsets, sizes)
      .section(SectionId::ir, ir)
      .section(SectionId::strings, string_section());
  if (version_ >= has_properties) file.section(SectionId::properties, properties);
  return file.take();
}

}  // namespace weft::ir::bytecode
