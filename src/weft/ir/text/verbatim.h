// Attributes that weft does not look into, as text that stands by itself.
#pragma once

#include <cstddef>
#include <string>

#include <weft/ir/annotations.h>
#include <weft/ir/text/lexer.h>
#include <weft/ir/text/syntax.h>

namespace weft::ir::text {

// Throws Error where aliases have no end, or make much text out of little.
class VerbatimReader {
 public:
  VerbatimReader(const Source& source, const SyntaxModule& module)
      : source_(source), module_(module), budget_(source.text.size() * 16 + 65536) {}

  // The attribute as it is written, each alias in it replaced by what it stands for.
  std::string text(const Attribute& attribute);

  // The discardable ones of them: those whose names say a dialect, as MLIR has it.
  Annotations annotations(const std::vector<NamedAttribute>& attributes);

 private:
  void append(std::string& out, const Attribute& attribute, std::size_t depth);

  const Source& source_;
  const SyntaxModule& module_;
  std::size_t budget_;  // characters that may still be made
};

// {name = value, name}; nothing where there are none.
std::string print_annotations(const Annotations& annotations);

}  // namespace weft::ir::text
