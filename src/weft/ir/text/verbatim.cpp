#include <weft/ir/text/verbatim.h>

#include <algorithm>

#include <weft/ir/text/lexer.h>
#include <weft/ir/text/location.h>
#include <weft/ir/text/print_attribute.h>

namespace weft::ir::text {

void VerbatimReader::spend(std::size_t characters, const Attribute& attribute) {
  if (characters > budget_) source_.fail(attribute.at, "the attribute is too long after its aliases are expanded");
  budget_ -= characters;
}

void VerbatimReader::append_printed(std::string& out, const Attribute& attribute) {
  const std::size_t before = out.size();
  print_attribute(out, attribute);
  spend(out.size() - before, attribute);
}

void VerbatimReader::append(std::string& out, const Attribute& attribute, std::size_t depth) {
  if (depth > module_.aliases.size()) source_.fail(attribute.at, "an alias refers to itself");
  if (attribute.written.empty()) return append_printed(out, attribute);
  const std::string_view text = attribute.written;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text[at] == '"') {
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
    } else if (text[at] == '#') {
      while (end < text.size() && (is_name_character(text[end]) || text[end] == '-')) ++end;
      const auto alias = module_.aliases.find(text.substr(at + 1, end - at - 1));
      const bool has_body = end < text.size() && text[end] == '<';
      if (!has_body && alias != module_.aliases.end()) {
        append(out, alias->second, depth + 1);
        at = end;
        continue;
      }
    }
    spend(end - at, attribute);
    out.append(text, at, end - at);
    at = end;
  }
}

std::string VerbatimReader::text(const Attribute& attribute) {
  std::string out;
  append(out, attribute, 0);
  return out;
}

Annotations VerbatimReader::annotations(const std::vector<NamedAttribute>& attributes) {
  Annotations kept;
  for (const NamedAttribute& a : attributes)
    if (a.name.find('.') != a.name.npos) kept.push_back({unescape(a.name), text(a.value)});
  return kept;
}

std::string print_annotations(const Annotations& annotations) {
  if (annotations.empty()) return {};
  std::string out = "{";
  for (const Annotation& a : annotations) {
    if (out.size() > 1) out += ", ";
    if (is_identifier(a.name))
      out += a.name;
    else
      print_string(out, a.name);
    if (!a.value.empty()) out.append(" = ").append(a.value);
  }
  return out += '}';
}

}  // namespace weft::ir::text
