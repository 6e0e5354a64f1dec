#include <weft/ir/text/location.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <mutex>
#include <unordered_set>

namespace weft::ir::text {

const char* intern(std::string_view text) {
  static std::mutex mutex;
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;  // lookups need no copy
  };
  static auto& strings = *new std::unordered_set<std::string, Hash, std::equal_to<>>;
  const std::lock_guard lock(mutex);
  const auto known = strings.find(text);
  return (known != strings.end() ? known : strings.emplace(text).first)->c_str();
}

namespace {

std::string contents(const Token& token) { return unescape(token.text.substr(1, token.text.size() - 2)); }

}  // namespace

Location prefer(const Location& first, const Location& second) {
  Location result = has_file(first) ? first : second;
  result.scope = *first.scope ? first.scope : second.scope;
  return result;
}

void LocationReader::expect(const Token& token, std::string_view text) const {
  if (token.text != text) source_.fail(token.at, concat("location: expected '", text, "', got ", quote(token)));
}

Location LocationReader::of(const Operation& operation) {
  if (operation.place) return *operation.place;
  Location location = operation.location == nowhere ? Location() : read(operation.location);
  if (has_file(location) || source_.file.empty()) return location;
  if (!file_) {
    file_ = intern(source_.file);
    line_starts_ = {0};
    for (std::size_t end = 0; (end = source_.text.find('\n', end)) != source_.text.npos;) line_starts_.push_back(++end);
  }
  const auto lines_above = std::ranges::upper_bound(line_starts_, operation.at) - line_starts_.begin() - 1;
  location.file = file_;
  location.line = source_.first_line + lines_above;
  return location;
}

Location LocationReader::of(const Argument& argument) {
  if (argument.place) return *argument.place;
  return argument.location == nowhere ? Location() : read(argument.location);
}

Location LocationReader::read(std::size_t at) {
  Lexer lexer(source_, at);
  lexer.next();
  expect(lexer.next(), "(");
  Token after;
  const Location location = inner(lexer, lexer.next(), after, 0);
  expect(after, ")");
  return location;
}

Location LocationReader::inner(Lexer& lexer, Token token, Token& after, int depth) {
  if (depth > max_depth_) source_.fail(token.at, concat("location: nested more than ", max_depth_, " deep"));
  if (token.kind == Token::Kind::string) return named(lexer, token, after, depth);
  if (token.kind == Token::Kind::attribute) {
    after = lexer.next();
    return alias(token, depth);
  }
  if (token.text == "unknown") {
    after = lexer.next();
    return {};
  }
  if (token.text == "callsite") {
    expect(lexer.next(), "(");
    const Location callee = inner(lexer, lexer.next(), after, depth + 1);
    expect(after, "at");
    const Location caller = inner(lexer, lexer.next(), after, depth + 1);
    expect(after, ")");
    after = lexer.next();
    return prefer(callee, caller);
  }
  if (token.text == "fused") return fused(lexer, after, depth);
  source_.fail(token.at, concat("location: expected a name, a file, callsite or fused, got ", quote(token)));
}

// "name", "name"(location), "file":line:column, "file":line:column to line:column
Location LocationReader::named(Lexer& lexer, const Token& name, Token& after, int depth) {
  after = lexer.next();
  if (after.text == "(") {
    const Location child = inner(lexer, lexer.next(), after, depth + 1);
    expect(after, ")");
    after = lexer.next();
    Location result = child;
    result.scope = intern(contents(name));
    return result;
  }
  if (after.text != ":") return {.scope = intern(contents(name))};
  const Token line = lexer.next();
  Location result{.file = intern(contents(name))};
  if (std::from_chars(line.text.data(), line.text.data() + line.text.size(), result.line).ec != std::errc())
    source_.fail(line.at, concat("location: expected a line number, got ", quote(line)));
  after = lexer.next();
  while (after.text == ":" || after.text == "to" || after.kind == Token::Kind::integer) after = lexer.next();
  return result;
}

// fused[a, b], fused<metadata>[a, b]
Location LocationReader::fused(Lexer& lexer, Token& after, int depth) {
  after = lexer.next();
  for (int open = 0; open > 0 || after.text == "<"; after = lexer.next()) {
    if (after.kind == Token::Kind::end) expect(after, ">");
    open += (after.text == "<") - (after.text == ">");
  }
  expect(after, "[");
  Location result;
  do result = prefer(result, inner(lexer, lexer.next(), after, depth + 1));
  while (after.text == ",");
  expect(after, "]");
  after = lexer.next();
  return result;
}

Location LocationReader::alias(const Token& token, int depth) {
  const std::string_view name = token.text.substr(1);
  if (const auto known = aliases_.find(name); known != aliases_.end()) return known->second;
  const auto found = module_.aliases.find(name);
  if (found == module_.aliases.end()) source_.fail(token.at, concat("location: ", quote(token), " is not defined"));
  Lexer lexer(source_, found->second.at);
  expect(lexer.next(), "loc");
  expect(lexer.next(), "(");
  Token after;
  const Location location = inner(lexer, lexer.next(), after, depth + 1);
  return aliases_.emplace(name, location).first->second;
}

void print_string(std::string& out, std::string_view text) {
  constexpr char digits[] = "0123456789ABCDEF";
  out += '"';
  for (const char c : text) {
    const unsigned char code = c;
    if (c == '\\') {
      out += "\\\\";
    } else if (code >= ' ' && code < 0x7f && c != '"') {
      out += c;
    } else {
      out += '\\';
      out += digits[code >> 4];
      out += digits[code & 15];
    }
  }
  out += '"';
}

void print_location(std::string& out, const Location& location) {
  const auto place = [&] {
    print_string(out, location.file);
    out += concat(':', location.line, ":0");
  };
  out += "loc(";
  if (*location.scope) {
    print_string(out, location.scope);
    if (has_file(location)) {
      out += '(';
      place();
      out += ')';
    }
  } else if (has_file(location)) {
    place();
  } else {
    out += "unknown";
  }
  out += ')';
}

}  // namespace weft::ir::text
