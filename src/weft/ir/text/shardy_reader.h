// Reads the tokens of Shardy's attributes.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <weft/base/error.h>
#include <weft/ir/text/lexer.h>

namespace weft::ir {

class ShardyReader {
 public:
  explicit ShardyReader(std::string_view text) : source_{.text = text}, lexer_(source_) { token_ = lexer_.next(); }

  bool take(std::string_view what) {
    if (token_.text != what) return false;
    token_ = lexer_.next();
    return true;
  }
  void expect(std::string_view what) {
    if (!take(what)) source_.fail(token_.at, concat("expected '", what, "', got ", text::quote(token_)));
  }
  void expect_end() {
    if (token_.kind != text::Token::Kind::end)
      source_.fail(token_.at, concat("expected the end, got ", text::quote(token_)));
  }
  bool is(text::Token::Kind kind) const { return token_.kind == kind; }

  std::string string() {
    if (!is(text::Token::Kind::string))
      source_.fail(token_.at, concat("expected an axis in quotes, got ", text::quote(token_)));
    const text::Token token = next();
    return text::unescape(token.text.substr(1, token.text.size() - 2));
  }
  std::int64_t integer() {
    std::int64_t number = 0;
    const auto [end, wrong] = std::from_chars(token_.text.data(), token_.text.data() + token_.text.size(), number);
    if (wrong != std::errc() || end != token_.text.data() + token_.text.size())
      source_.fail(token_.at, concat("expected a number, got ", text::quote(token_)));
    token_ = lexer_.next();
    return number;
  }
  text::Token next() { return std::exchange(token_, lexer_.next()); }

 private:
  const text::Source source_;
  text::Lexer lexer_;
  text::Token token_;
};

// A part of an axis, "x":(2)4: 4 positions, each of which is divided further, within each of 2. Without a part, the whole axis.
struct AxisPart {
  std::string name;
  std::int64_t before = 1, size = 0;  // size 0: the whole axis
};

inline AxisPart axis_part(ShardyReader& reader) {
  AxisPart part{reader.string()};
  if (!reader.take(":")) return part;
  reader.expect("(");
  part.before = reader.integer();
  reader.expect(")");
  part.size = reader.integer();
  require(part.before > 0 && part.size > 0, "the part \"", part.name, "\":(", part.before, ')', part.size,
          " of an axis has no positions");
  return part;
}

}  // namespace weft::ir
