// The tokens of MLIR's textual form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <weft/base/error.h>

namespace weft::ir::text {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
// A letter of a name; an underscore counts as a letter.
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool is_name_character(char c) { return is_letter(c) || is_digit(c) || c == '$' || c == '.'; }
// Returns whether a name needs no quotes.
bool is_identifier(std::string_view name);
// Returns the value of a hexadecimal digit, or -1 for another character.
inline int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// What is read, with functions that report errors at a place in it.
struct Source {
  std::string_view text;  // or the bytes of another format
  int first_line = 1;
  // its name, used as the location of operations; empty: operations have no location of their own
  std::string_view file = {};
  // Says how messages name a place; empty: line:column
  std::function<std::string(std::size_t at)> place = {};

  // Throws Error "place: message".
  [[noreturn]] void fail(std::size_t at, const std::string& message) const;
  // Throws UnsupportedError "place: message".
  [[noreturn]] void fail_unsupported(std::size_t at, const std::string& message, std::string_view feature) const;

 private:
  std::string located(std::size_t at, const std::string& message) const;
};

struct Token {
  enum class Kind : std::uint8_t {
    end,
    identifier,   // stablehlo.add, dense, f32
    value,        // %0, %arg1, %2#1
    symbol,       // @main, @"a b"
    block,        // ^bb0
    attribute,    // #loc3, #stablehlo.gather
    type,         // !stablehlo.token
    integer,      // 12, 0xFF
    real,         // 1.5, 2.0e+3
    string,       // "text", quotes included
    punctuation,  // one of ( ) [ ] { } < > , : = ? * + - / | or -> {-# #-}
  };
  Kind kind = Kind::end;
  std::string_view text;
  std::size_t at = 0;  // offset in the source

  std::size_t end() const { return at + text.size(); }
};

class Lexer {
 public:
  explicit Lexer(const Source& source, std::size_t at = 0) : source_(source), at_(at) {}

  Token next();
  std::size_t position() const { return at_; }
  void seek(std::size_t at) { at_ = at; }

 private:
  bool has(std::size_t at) const { return at < source_.text.size(); }
  char peek(std::size_t at) const { return has(at) ? source_.text[at] : '\0'; }
  void skip_blanks();
  Token take(Token::Kind kind, std::size_t end);
  Token number();
  Token string_from(Token::Kind kind, std::size_t quote);

  const Source& source_;
  std::size_t at_;
};

// Returns a token as quoted in messages: bounded and printable; `end of text` at the end.
std::string quote(const Token& token);

// Returns the characters of a string token or of a symbol's name, with escapes resolved.
std::string unescape(std::string_view body);

// Returns the name in %0#1, @name, @"name" or #name, without the prefix, the quotes and the index.
std::string_view symbol_name(std::string_view symbol);

}  // namespace weft::ir::text
