// Converts attributes that weft does not interpret to self-contained text.
#pragma once

#include <cstddef>
#include <string>

#include <weft/ir/annotations.h>
#include <weft/ir/text/lexer.h>
#include <weft/ir/text/syntax.h>

namespace weft::ir::text {

// Throws Error if aliases refer to each other endlessly or expand to too much text.
class VerbatimReader {
 public:
  VerbatimReader(const Source& source, const SyntaxModule& module)
      : source_(source), module_(module), budget_(source.text.size() * 16 + 65536) {}

  // Returns the attribute as written, with each alias replaced by what it stands for.
  std::string text(const Attribute& attribute);

  // Returns the discardable attributes, whose names include a dialect, as MLIR defines it.
  Annotations annotations(const std::vector<NamedAttribute>& attributes);

 private:
  void spend(std::size_t characters, const Attribute& attribute);
  void append(std::string& out, const Attribute& attribute, std::size_t depth);
  void append_printed(std::string& out, const Attribute& attribute);

  const Source& source_;
  const SyntaxModule& module_;
  std::size_t budget_;  // number of characters that may still be produced
};

// Returns {name = value, name}; empty if there are no annotations.
std::string print_annotations(const Annotations& annotations);

}  // namespace weft::ir::text
