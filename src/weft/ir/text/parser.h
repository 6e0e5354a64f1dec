// Parses text to syntax: it reads tokens and knows the grammar and the limits, but not what operations mean.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <weft/ir/text/lexer.h>
#include <weft/ir/text/syntax.h>
#include <weft/ir/text/text.h>

namespace weft::ir::text {

class Parser {
 public:
  Parser(const Source& source, const ParseLimits& limits);

  SyntaxModule module();

  // Tokens. `is` and the functions built on it compare punctuation and identifiers.
  const Token& token() const { return token_; }
  bool is(std::string_view text) const;
  bool is(Token::Kind kind) const { return token_.kind == kind; }
  Token take();
  Token take(Token::Kind kind, std::string_view what);
  bool accept(std::string_view text);
  void expect(std::string_view text);
  // Throws Error that names the operation being read, what was expected, and what was found instead.
  [[noreturn]] void fail_expected(std::string_view what) const;
  [[noreturn]] void fail(std::size_t at, const std::string& message) const;
  [[noreturn]] void fail_unsupported(std::size_t at, const std::string& message, std::string_view feature) const;

  // open item, item, ... close
  void list(std::string_view open, std::string_view close, const std::function<void()>& item);
  // item, item, ...
  void items(const std::function<void()>& item);

  // Pieces
  Attribute attribute();
  Attribute convolution_dimensions();  // [b, 0, f]x[0, i, o]->[b, 0, f]
  void struct_fields(std::string_view first, std::vector<NamedAttribute>& into);
  std::string_view string();  // the text between the quotes
  std::int64_t integer();
  void dictionary(std::vector<NamedAttribute>& into);  // {name = attribute, ...}
  void optional_dictionary(std::vector<NamedAttribute>& into) {
    if (is("{")) dictionary(into);
  }
  WrittenType type();
  WrittenType future();
  WrittenTypes types();  // T, T
  Name name(std::string_view text) { return Name(&*module_.names.insert(text).first); }
  Use use();
  Uses uses();  // %a, %b; may be empty
  Uses parenthesised_uses();
  Argument argument();                                  // %a: T {attributes} loc(...)
  Region region(std::vector<Argument> arguments = {});  // { ^bb0(%a: T): operations }
  // Reads the signature after the colon: (T, T) -> T; or T, T -> T; or T, T if only results are given.
  void signature(Operation& operation);
  void function_type(Operation& operation);  // (T, T) -> (T, T)
  std::size_t optional_location();           // loc(...); returns its offset
  Token operation_name();                    // stablehlo.add or "stablehlo.add"; the token's text is the full name
  void skip_balanced();                      // from an opening bracket to the matching closing one
  Attribute balanced();                      // like skip_balanced; returns an opaque attribute

 private:
  class Nested;  // counts the nesting depth during its lifetime

  void advance() { take(); }
  void count(std::int64_t& counter, std::int64_t most, std::string_view what);
  bool next_is(char c) const;  // looks at the character after the current token
  void skip_type();

  Attribute any_attribute();
  Attribute number();
  Attribute dialect_attribute();
  // Requires that a struct attribute such as #stablehlo.gather<...> has no other fields than those that ops know.
  void require_members(std::string_view name, const Attribute& attribute) const;
  Attribute word_or_type();
  Attribute array();
  Attribute dense();
  bool is_layout() const;
  WrittenType layout_type();
  Attribute resource();
  WrittenTypes result_types();                // T or (T, T)
  void function_results(Function& function);  // T or (T {attributes}, T {attributes})
  WrittenType tensor();

  void item();
  void alias();
  void resources();
  void module_body();
  void generic_module();
  void mesh();
  void generic_mesh();
  void function();
  void generic_function();
  void add(Function function);
  Operation operation();
  void generic(Operation& operation);

  const Source& source_;
  const ParseLimits& limits_;
  Lexer lexer_;
  Token token_;
  std::size_t end_ = 0;         // end of the last token that was read
  std::string_view operation_;  // the operation being read, for messages
  int depth_ = 0;
  std::int64_t operations_ = 0, attributes_ = 0;
  std::unordered_map<std::string_view, WrittenType> type_aliases_;
  std::unordered_set<std::string_view> known_operations_;  // names that can be lowered
  SyntaxModule module_;
};

class Parser::Nested {
 public:
  explicit Nested(Parser& parser) : parser_(parser) {
    if (++parser_.depth_ > parser_.limits_.depth)
      parser_.fail(parser_.token_.at, concat("nested more than ", parser_.limits_.depth, " deep"));
  }
  ~Nested() { --parser_.depth_; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

 private:
  Parser& parser_;
};

}  // namespace weft::ir::text
