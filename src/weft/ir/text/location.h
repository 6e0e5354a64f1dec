// Locations in text: loc("scope"("file":line:column)), loc(callsite(... at ...)), loc(fused[...]), loc(#alias).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <weft/ir/graph.h>
#include <weft/ir/text/lexer.h>
#include <weft/ir/text/syntax.h>

namespace weft::ir::text {

// Returns a copy that lives as long as the process; equal strings share one copy. Thread-safe.
const char* intern(std::string_view text);

inline bool has_file(const Location& location) { return *location.file != '\0'; }

// Returns the location of an operation that has two, such as that of a callee and that of its caller: the first that has a file, with the
// first scope that is not empty.
Location prefer(const Location& first, const Location& second);

// Reads locations on demand. The outermost name becomes the scope, the innermost file and line become the place.
class LocationReader {
 public:
  LocationReader(const Source& source, const SyntaxModule& module, int max_depth)
      : source_(source), module_(module), max_depth_(max_depth) {}

  // Returns the location given by the operation's `loc`. If it names no file, returns the operation's line in the text, provided
  // that the text is known to be a file.
  Location of(const Operation& operation);
  // Returns the location of an argument as it is written.
  Location of(const Argument& argument);

 private:
  // Reads the location whose `loc` is at this offset.
  Location read(std::size_t at);
  Location inner(Lexer& lexer, Token token, Token& after, int depth);
  Location named(Lexer& lexer, const Token& name, Token& after, int depth);
  Location fused(Lexer& lexer, Token& after, int depth);
  Location alias(const Token& token, int depth);
  void expect(const Token& token, std::string_view text) const;

  const Source& source_;
  const SyntaxModule& module_;
  int max_depth_;
  std::unordered_map<std::string_view, Location> aliases_;
  const char* file_ = nullptr;            // name of the text's file, set when a line is first asked for
  std::vector<std::size_t> line_starts_;  // set when a line is first asked for
};

// Writes loc("scope"("file":line:0)), or loc(unknown).
void print_location(std::string& out, const Location& location);

// Writes "text", escaped.
void print_string(std::string& out, std::string_view text);

}  // namespace weft::ir::text
