#include <weft/ir/text/text.h>

#include <algorithm>

#include <weft/ir/text/lower.h>
#include <weft/ir/text/parser.h>

namespace weft::ir {

const std::shared_ptr<Graph>& Module::main() const {
  for (const auto& f : functions)
    if (f->name == "main") return f;
  require(functions.size() == 1, "the module has ", functions.size(), " functions and none is named main");
  return functions[0];
}

Module parse_module(std::string_view text, const ParseLimits& limits, int first_line, std::string_view file) {
  const text::Source source{text, first_line, file};
  return text::lower(source, text::Parser(source, limits).module(), limits);
}

std::shared_ptr<Graph> parse(std::string_view text, const ParseLimits& limits) {
  return parse_module(text, limits).main();
}

std::vector<Section> split_sections(std::string_view text) {
  constexpr std::string_view separator = "// -----";
  std::vector<Section> sections;
  std::size_t begin = 0;
  int first_line = 1, line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text.substr(at, end - at).starts_with(separator)) {
      sections.push_back({text.substr(begin, at - begin), first_line});
      begin = end;
      first_line = line;
    }
    at = end + 1;
  }
  sections.push_back({text.substr(begin), first_line});
  return sections;
}

}  // namespace weft::ir
