#include <weft/ir/text/lexer.h>

#include <algorithm>
#include <cstdio>

namespace weft::ir::text {

namespace {

bool is_suffix(char c) { return is_name_character(c) || c == '-'; }

// U+FEFF, with which some editors begin a file; it is ignored.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// Returns the character at `at`, which is not part of any token, as shown in a message.
std::string shown_character(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(at);
  if (first >= ' ' && first <= '~') return concat('\'', text[at], '\'');
  const int more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;  // bytes, if it is UTF-8
  unsigned code = more == 0 ? first : first & (0x3Fu >> more);
  bool is_utf8 = more == 0 || (first >= 0xC2 && first < 0xF8);
  for (int i = 1; i <= more; ++i) {
    const unsigned next = byte(at + i);
    is_utf8 = is_utf8 && (next & 0xC0) == 0x80;
    code = code << 6 | (next & 0x3F);
  }
  char shown[32];
  std::snprintf(shown, sizeof shown, is_utf8 ? "U+%04X" : "(byte 0x%02X)", is_utf8 ? code : first);
  return shown;
}

// A file format that users may mistake for StableHLO text: the bytes with which its files begin, and the message that names the remedy.
struct OtherFormat {
  std::string_view beginning, message;
};
constexpr OtherFormat other_formats[] = {
    {"\xFF\xFE", "the text is UTF-16; save it as UTF-8"},
    {"\xFE\xFF", "the text is UTF-16; save it as UTF-8"},
    {"ML\xEFR", "this is MLIR bytecode, not text"},
    {"\x1F\x8B", "the file is compressed; unpack it with gunzip"},
    {"\x28\xB5\x2F\xFD", "the file is compressed; unpack it with unzstd"},
    {"PK\x03\x04", "this is a zip archive; unpack it with unzip"},
};

// Returns a message with names of any bytes as one line of bounded length.
std::string shown_line(std::string message) {
  constexpr std::size_t longest = 1000;
  message.resize(std::min(message.size(), longest));
  std::ranges::replace_if(message, [](char c) { return c < ' ' || c > '~'; }, '?');
  return message;
}

std::size_t scan(std::string_view text, std::size_t at, bool (*belongs)(char)) {
  while (at < text.size() && belongs(text[at])) ++at;
  return at;
}

}  // namespace

bool is_identifier(std::string_view name) {
  return !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, is_name_character);
}

std::string Source::located(std::size_t at, const std::string& message) const {
  if (place) return shown_line(concat(place(at), ": ", message));
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const auto line = first_line + std::count(before.begin(), before.end(), '\n');
  std::string_view on_line = before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
  if (on_line.starts_with(byte_order_mark)) on_line.remove_prefix(byte_order_mark.size());
  const auto column = on_line.size() + 1;
  return concat(line, ':', column, ": ", message);
}

void Source::fail(std::size_t at, const std::string& message) const { throw Error(located(at, message)); }

void Source::fail_unsupported(std::size_t at, const std::string& message, std::string_view feature) const {
  throw UnsupportedError(located(at, message), std::string(feature));
}

void Lexer::skip_blanks() {
  for (;;) {
    const char c = peek(at_);
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == byte_order_mark[0] && source_.text.substr(at_).starts_with(byte_order_mark)) {
      at_ += byte_order_mark.size();
    } else if (c == '/' && peek(at_ + 1) == '/') {
      at_ = std::min(source_.text.find('\n', at_), source_.text.size());
    } else {
      return;
    }
  }
}

Token Lexer::take(Token::Kind kind, std::size_t end) {
  const Token token{kind, source_.text.substr(at_, end - at_), at_};
  at_ = end;
  return token;
}

Token Lexer::string_from(Token::Kind kind, std::size_t quote) {
  for (std::size_t at = quote + 1; has(at); ++at) {
    const char c = source_.text[at];
    if (c == '"') return take(kind, at + 1);
    if (c == '\n') break;
    if (c == '\\') ++at;
  }
  source_.fail(quote, "expected the string to end on its line");
}

Token Lexer::number() {
  const std::string_view text = source_.text;
  if (text[at_] == '0' && peek(at_ + 1) == 'x' && hex_value(peek(at_ + 2)) >= 0)
    return take(Token::Kind::integer, scan(text, at_ + 2, [](char c) { return hex_value(c) >= 0; }));
  std::size_t end = scan(text, at_, is_digit);
  if (peek(end) != '.') return take(Token::Kind::integer, end);
  end = scan(text, end + 1, is_digit);
  if (peek(end) == 'e' || peek(end) == 'E') {
    const std::size_t digits = end + (peek(end + 1) == '+' || peek(end + 1) == '-' ? 2 : 1);
    if (is_digit(peek(digits))) end = scan(text, digits, is_digit);
  }
  return take(Token::Kind::real, end);
}

Token Lexer::next() {
  skip_blanks();
  if (!has(at_)) return {Token::Kind::end, {}, source_.text.size()};
  const std::string_view text = source_.text;
  if (at_ == 0)
    for (const auto& [beginning, message] : other_formats)
      if (text.starts_with(beginning)) source_.fail(0, std::string(message));
  const char c = text[at_], after = peek(at_ + 1);
  if (is_letter(c)) return take(Token::Kind::identifier, scan(text, at_, is_name_character));
  if (is_digit(c)) return number();
  switch (c) {
    case '"': return string_from(Token::Kind::string, at_);
    case '%': {
      const std::size_t end = scan(text, at_ + 1, is_suffix);
      if (end == at_ + 1) source_.fail(at_, "expected a name after %");
      return take(Token::Kind::value,
                  peek(end) == '#' && is_digit(peek(end + 1)) ? scan(text, end + 1, is_digit) : end);
    }
    case '@':
      if (after == '"') return string_from(Token::Kind::symbol, at_ + 1);
      if (!is_letter(after)) source_.fail(at_, "expected a name after @");
      return take(Token::Kind::symbol, scan(text, at_ + 1, is_name_character));
    case '^': return take(Token::Kind::block, scan(text, at_ + 1, is_suffix));
    case '#':
      if (after == '-' && peek(at_ + 2) == '}') return take(Token::Kind::punctuation, at_ + 3);
      return take(Token::Kind::attribute, scan(text, at_ + 1, is_name_character));
    case '!': return take(Token::Kind::type, scan(text, at_ + 1, is_name_character));
    case '-': return take(Token::Kind::punctuation, at_ + (after == '>' ? 2 : 1));
    case '{': return take(Token::Kind::punctuation, at_ + (after == '-' && peek(at_ + 2) == '#' ? 3 : 1));
    default:
      if (std::string_view("()[]}<>,:=?*+/|").find(c) != std::string_view::npos)
        return take(Token::Kind::punctuation, at_ + 1);
      source_.fail(at_, "unexpected character " + shown_character(text, at_));
  }
}

std::string quote(const Token& token) {
  if (token.kind == Token::Kind::end) return "end of text";
  constexpr std::size_t longest = 40;
  std::string shown = "'";
  for (const char c : token.text.substr(0, longest)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown + (token.text.size() > longest ? "...'" : "'");
}

std::string unescape(std::string_view body) {
  std::string plain;
  plain.reserve(body.size());
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\' || i + 1 == body.size()) {
      plain += body[i];
      continue;
    }
    const char c = body[++i];
    const int high = hex_value(c), low = i + 1 < body.size() ? hex_value(body[i + 1]) : -1;
    if (c == 'n' || c == 't') {
      plain += c == 'n' ? '\n' : '\t';
    } else if (high >= 0 && low >= 0) {
      plain += static_cast<char>(high * 16 + low);
      ++i;
    } else {
      plain += c;
    }
  }
  return plain;
}

std::string_view symbol_name(std::string_view symbol) {
  symbol.remove_prefix(1);
  if (symbol.size() >= 2 && symbol.front() == '"') symbol = symbol.substr(1, symbol.size() - 2);
  return symbol;
}

}  // namespace weft::ir::text
