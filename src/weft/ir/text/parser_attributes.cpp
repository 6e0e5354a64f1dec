// Parses attributes and types.
#include <algorithm>
#include <charconv>
#include <set>
#include <unordered_set>

#include <weft/ir/text/fields.h>
#include <weft/ir/text/parser.h>

namespace weft::ir::text {

bool Parser::next_is(char c) const { return token_.end() < source_.text.size() && source_.text[token_.end()] == c; }

std::string_view Parser::string() {
  const std::string_view text = take(Token::Kind::string, "a string").text;
  return text.substr(1, text.size() - 2);
}

namespace {

// Reads a decimal number of up to 64 bits, or the 64 bits in hexadecimal.
bool read_integer(std::string_view text, bool negative, std::int64_t& value) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  const std::uint64_t most = (std::uint64_t{1} << 63) - (negative ? 0 : 1);
  if (!hexadecimal && magnitude > most) return false;
  value = negative ? 0 - magnitude : magnitude;
  return true;
}

}  // namespace

std::int64_t Parser::integer() {
  const bool negative = accept("-");
  const Token digits = take(Token::Kind::integer, "an integer");
  std::int64_t value = 0;
  if (!read_integer(digits.text, negative, value)) fail(digits.at, concat(quote(digits), " does not fit 64 bits"));
  return value;
}

void Parser::dictionary(std::vector<NamedAttribute>& into) {
  const Nested nested(*this);
  std::unordered_set<std::string_view> names;
  list("{", "}", [&] {
    const std::size_t at = token_.at;
    const std::string_view name =
        is(Token::Kind::string) ? string() : take(Token::Kind::identifier, "an attribute's name").text;
    if (!names.insert(name).second) fail(at, concat("the attribute ", name, " is given twice"));
    NamedAttribute named{name, {}};
    if (accept("=")) {
      named.value = attribute();
    } else {
      named.value.at = token_.at;
    }
    into.push_back(std::move(named));
  });
}

Attribute Parser::attribute() {
  const std::size_t at = token_.at;
  Attribute result = any_attribute();
  result.at = at;
  result.written = source_.text.substr(at, end_ - at);
  return result;
}

Attribute Parser::any_attribute() {
  constexpr std::int64_t attributes_per_operation = 8;
  count(attributes_, attributes_per_operation * limits_.operations, "attributes");
  const Nested nested(*this);
  Attribute result;
  result.at = token_.at;
  switch (token_.kind) {
    case Token::Kind::integer:
    case Token::Kind::real: return number();
    case Token::Kind::attribute: return dialect_attribute();
    case Token::Kind::identifier: return word_or_type();
    case Token::Kind::string:
      result.kind = Attribute::Kind::string;
      result.text = string();
      return result;
    case Token::Kind::symbol:
      result.kind = Attribute::Kind::symbol;
      result.text = symbol_name(take().text);
      while (accept(":")) {  // @outer::@inner
        expect(":");
        take(Token::Kind::symbol, "a name");
      }
      return result;
    default: break;
  }
  if (is("-")) return number();
  if (is("[")) {
    result.kind = Attribute::Kind::list;
    list("[", "]", [&] { result.items.push_back(attribute()); });
    return result;
  }
  if (is("{")) {
    result.kind = Attribute::Kind::dictionary;
    dictionary(result.fields);
    return result;
  }
  result.kind = Attribute::Kind::opaque;
  skip_type();
  return result;
}

Attribute Parser::number() {
  Attribute result;
  result.at = token_.at;
  const bool negative = is("-");
  if (negative) advance();
  if (is(Token::Kind::real)) {
    result.kind = Attribute::Kind::real;
    result.text = take().text;
  } else {
    const Token digits = take(Token::Kind::integer, "a number");
    result.kind = Attribute::Kind::integer;
    // No operation that weft reads uses wider numbers.
    if (!read_integer(digits.text, negative, result.integer)) result.kind = Attribute::Kind::opaque;
  }
  if (accept(":")) {
    if (const auto dtype = parse_dtype(token_.text)) result.type = Type(*dtype, {});
    skip_type();
  }
  return result;
}

Attribute Parser::word_or_type() {
  Attribute result;
  result.at = token_.at;
  if (is("array") && next_is('<')) return array();
  if (is("dense") && next_is('<')) return dense();
  if (is("dense_resource") && next_is('<')) return resource();
  if (is("loc") && next_is('(')) {
    optional_location();
    result.kind = Attribute::Kind::opaque;
  } else if (next_is('<')) {
    skip_type();
    result.kind = Attribute::Kind::opaque;
  } else if (is("true") || is("false")) {
    result.kind = Attribute::Kind::boolean;
    result.integer = take().text == "true";
  } else if (is("unit")) {
    advance();
  } else {
    result.kind = Attribute::Kind::word;
    result.text = take().text;
  }
  return result;
}

// array<i64: 1, 2>, array<i1: true>
Attribute Parser::array() {
  Attribute result;
  result.kind = Attribute::Kind::integers;
  result.at = take().at;
  expect("<");
  const std::string_view element = take(Token::Kind::identifier, "an element type").text;
  const bool real = element.starts_with('f');
  if (const auto dtype = parse_dtype(element)) result.type = Type(*dtype, {});
  if (accept(":"))
    items([&] {
      if (is("true") || is("false")) {
        result.integers.push_back(take().text == "true");
      } else if (real) {
        number();
      } else {
        result.integers.push_back(integer());
      }
    });
  expect(">");
  if (real) result.kind = Attribute::Kind::opaque;
  return result;
}

// dense<...> : tensor<...>; the elements are read once their type is known.
Attribute Parser::dense() {
  Attribute result;
  result.kind = Attribute::Kind::dense;
  result.at = token_.at;
  const std::size_t begin = token_.end() + 1;
  const std::string_view text = source_.text;
  std::size_t end = begin;
  while (end < text.size() && text[end] != '>') {
    if (text[end] == '"') end = std::min(text.find('"', end + 1), text.size() - 1);
    ++end;
  }
  if (end == text.size()) fail(result.at, "expected dense<...> to end");
  result.text = text.substr(begin, end - begin);
  lexer_.seek(end + 1);
  advance();
  expect(":");
  result.type = is_layout() ? layout_type() : type();
  return result;
}

// Layouts are written as tensor<2xindex>, a type that no operation computes with. They give the order of dimensions in memory.
bool Parser::is_layout() const {
  const std::string_view rest = source_.text.substr(token_.end());
  return is("tensor") && rest.substr(0, rest.find('>')).ends_with("index");
}

// Reads a layout as a tensor of 64-bit integers.
WrittenType Parser::layout_type() {
  std::string_view shape = source_.text.substr(token_.end() + 1);
  shape = shape.substr(0, shape.find("index"));
  std::vector<Dim> dims;
  while (!shape.empty()) {
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(shape.data(), shape.data() + shape.size(), size);
    const bool reads = error == std::errc() && size >= 0 && size <= limits_.rank && *end == 'x' && dims.size() < 2;
    if (!reads)
      fail(token_.at, concat("expected a layout such as tensor<2xindex>, of at most ", limits_.rank, " dimensions"));
    dims.push_back(size);
    shape.remove_prefix(end - shape.data() + 1);
  }
  skip_type();
  return Type(DType::i64, dims);
}

Attribute Parser::resource() {
  Attribute result;
  result.kind = Attribute::Kind::resource;
  result.at = take().at;
  expect("<");
  result.text = is(Token::Kind::string) ? string() : take(Token::Kind::identifier, "the name of a resource").text;
  expect(">");
  expect(":");
  result.type = type();
  return result;
}

// #alias, #stablehlo<comparison_direction LT>, #stablehlo.gather<field = value, ...>, #dialect.anything<...>
Attribute Parser::dialect_attribute() {
  Attribute result;
  result.at = token_.at;
  const std::string_view name = take().text.substr(1);
  if (!is("<")) {
    result.kind = name.find('.') == name.npos ? Attribute::Kind::alias : Attribute::Kind::opaque;
    result.text = name;
    return result;
  }
  if (name != "stablehlo" && !name.starts_with("stablehlo.") && !name.starts_with("chlo")) {
    result.kind = Attribute::Kind::opaque;
    skip_balanced();
    return result;
  }
  advance();
  if (is("[")) {
    result = convolution_dimensions();
  } else if (is(Token::Kind::identifier)) {
    if (is("raw")) advance();  // #stablehlo.conv<raw input_batch_dimension = 0, ...>
    const std::string_view first = take(Token::Kind::identifier, "a field's name").text;
    if (is(Token::Kind::identifier)) {
      result.kind = Attribute::Kind::word;
      result.text = take().text;
    } else if (is("=")) {
      result.kind = Attribute::Kind::dictionary;
      struct_fields(first, result.fields);
      require_members(name, result);
    } else {
      result.kind = Attribute::Kind::word;
      result.text = first;
    }
  } else {
    result.kind = Attribute::Kind::dictionary;  // there are no fields
  }
  expect(">");
  return result;
}

// name = attribute, ... up to the closing >, which a comma may precede; `first` has already been read.
void Parser::struct_fields(std::string_view first, std::vector<NamedAttribute>& into) {
  std::string_view name = first;
  for (;;) {
    if (text::find(into, name)) fail(token_.at, concat("the field ", name, " is given twice"));
    expect("=");
    into.push_back({name, attribute()});
    if (!accept(",") || is(">")) return;
    name = take(Token::Kind::identifier, "a field's name").text;
  }
}

void Parser::require_members(std::string_view name, const Attribute& attribute) const {
  const std::set<std::string_view> known = struct_members(name.substr(name.find('.') + 1));
  for (const NamedAttribute& field : attribute.fields)
    if (!known.empty() && !known.contains(field.name))
      fail(field.value.at, concat('#', name, " has no field ", field.name));
}

Attribute Parser::convolution_dimensions() {
  Attribute result;
  result.kind = Attribute::Kind::dictionary;
  result.at = token_.at;
  // The position of a letter is the number of that dimension; the position of number i is the dimension of spatial dimension i.
  const auto side = [&](char first, std::string_view first_name, char second, std::string_view second_name,
                        std::string_view spatial_name) {
    Attribute spatial;
    spatial.kind = Attribute::Kind::integers;
    std::int64_t place = 0;
    list("[", "]", [&] {
      const std::int64_t here = place++;
      if (is(Token::Kind::integer)) {
        const std::int64_t which = integer();
        if (which < 0 || which >= limits_.rank) fail(token_.at, concat("there is no spatial dimension ", which));
        if (std::ssize(spatial.integers) <= which) spatial.integers.resize(which + 1, -1);
        std::int64_t& dimension = spatial.integers[which];
        if (dimension >= 0) fail(token_.at, concat("the spatial dimension ", which, " is given twice"));
        dimension = here;
        return;
      }
      const Token letter = take(Token::Kind::identifier, concat("a number, ", first, " or ", second));
      const bool is_first = letter.text == std::string_view(&first, 1);
      if (!is_first && letter.text != std::string_view(&second, 1))
        fail(letter.at, concat("expected a number, ", first, " or ", second, ", got ", quote(letter)));
      const std::string_view name = is_first ? first_name : second_name;
      if (text::find(result.fields, name)) fail(letter.at, concat(letter.text, " is given twice"));
      Attribute number;
      number.kind = Attribute::Kind::integer;
      number.integer = here;
      result.fields.push_back({name, number});
    });
    if (!text::find(result.fields, first_name)) fail(token_.at, concat("expected ", first, " among the dimensions"));
    if (!text::find(result.fields, second_name)) fail(token_.at, concat("expected ", second, " among the dimensions"));
    const auto missing = std::ranges::find(spatial.integers, -1);
    if (missing != spatial.integers.end())
      fail(token_.at, concat("expected the spatial dimension ", missing - spatial.integers.begin()));
    result.fields.push_back({spatial_name, std::move(spatial)});
  };
  side('b', "input_batch_dimension", 'f', "input_feature_dimension", "input_spatial_dimensions");
  expect("x");
  side('i', "kernel_input_feature_dimension", 'o', "kernel_output_feature_dimension", "kernel_spatial_dimensions");
  expect("->");
  side('b', "output_batch_dimension", 'f', "output_feature_dimension", "output_spatial_dimensions");
  return result;
}

// ---------------------------------------------------------------------------------------------------------------------
// Types

// A future is the value that it will be.
WrittenType Parser::future() {
  advance();
  expect("<");
  if (token_.text == "!stablehlo.future") fail(token_.at, "a future of a future");
  const WrittenType type = this->type();
  if (is(",")) fail_unsupported(token_.at, "a future has one type here", "futures");
  expect(">");
  return type;
}

WrittenType Parser::type() {
  if (is(Token::Kind::type)) {
    if (token_.text == "!stablehlo.token") {
      advance();
      return Type(DType::token, {});
    }
    if (token_.text == "!stablehlo.future") return future();
    const auto found = type_aliases_.find(token_.text.substr(1));
    if (found == type_aliases_.end())
      fail_unsupported(token_.at, concat(quote(token_), ": unsupported type"), token_.text);
    advance();
    return found->second;
  }
  if (!is("tensor")) fail_expected("a tensor type");
  return tensor();
}

// tensor<2x3xf32>, tensor<2xcomplex<f32>>: the lexer's tokens do not apply between < and > (0x3 is not a number).
WrittenType Parser::tensor() {
  const std::size_t start = token_.at;
  const Token open = lexer_.next();
  if (open.text != "<") fail(open.at, concat("expected '<', got ", quote(open)));
  const std::string_view text = source_.text;
  std::size_t at = open.end();
  const auto peek = [&] { return at < text.size() ? text[at] : '\0'; };
  std::vector<Dim> dims;
  std::int64_t elements = 1;
  while (peek() >= '0' && peek() <= '9') {
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), size);
    if (error != std::errc() || size > limits_.elements)
      fail(at, concat("a dimension has at most ", limits_.elements, " elements"));
    at = end - text.data();
    if (peek() != 'x') fail(at, "expected 'x' after the size of a dimension");
    ++at;
    if (std::ssize(dims) == limits_.rank) fail(start, concat("a tensor has at most ", limits_.rank, " dimensions"));
    if (size != 0 && elements > limits_.elements / size)
      fail(start, concat("a tensor has at most ", limits_.elements, " elements"));
    if (size != 0) elements *= size;
    dims.push_back(size);
  }
  if (peek() == '?' || peek() == '*') fail_unsupported(at, "dynamic shapes are not read", "dynamic shapes");
  constexpr std::string_view complex = "complex<";
  const bool is_complex = text.substr(at).starts_with(complex);
  if (is_complex) at += complex.size();
  const std::size_t name_at = at;
  while ((peek() >= 'a' && peek() <= 'z') || (peek() >= 'A' && peek() <= 'Z') || (peek() >= '0' && peek() <= '9') ||
         peek() == '_')
    ++at;
  const std::string_view element = text.substr(name_at, at - name_at);
  const auto dtype = parse_dtype(element);
  if (!dtype) {
    if (element.empty()) fail(name_at, "expected a size or an element type");
    const Token name{Token::Kind::identifier, element, name_at};
    fail_unsupported(name_at, concat(quote(name), ": unsupported element type"), element);
  }
  if (is_complex) {
    module_.has_complex = true;
    if (*dtype != DType::f32 && *dtype != DType::f64)
      fail(name_at, concat("a complex number has parts of f32 or f64, not ", *dtype));
    if (elements > limits_.elements / 2)
      fail(start, concat("a complex tensor has at most ", limits_.elements / 2, " elements"));
    if (peek() != '>') fail(at, "expected '>' after the type of the parts");
    ++at;
  }
  if (peek() != '>') fail(at, "expected '>' after the element type");
  lexer_.seek(at + 1);
  advance();
  return {Type(*dtype, dims), is_complex};
}

void Parser::skip_type() {
  const Nested nested(*this);
  if (is("(")) {
    skip_balanced();
    expect("->");
    if (is("(")) return skip_balanced();
    return skip_type();
  }
  if (!is(Token::Kind::identifier) && !is(Token::Kind::type)) fail_expected("an attribute or a type");
  if (!next_is('<')) return advance();
  if (token_.text == "tensor" || token_.text == "vector" || token_.text == "memref") {
    // Their shapes are not tokens: 0x3xf32.
    const std::size_t close = source_.text.find('>', token_.end());
    if (close == source_.text.npos) fail(token_.at, "expected the type to end");
    const std::string_view shape = source_.text.substr(token_.end(), close - token_.end());
    const bool is_complex = shape.find("complex<") != shape.npos && source_.text.substr(close).starts_with(">>");
    lexer_.seek(close + (is_complex ? 2 : 1));
    return advance();
  }
  advance();
  skip_balanced();
}

Attribute Parser::balanced() {
  Attribute result;
  result.kind = Attribute::Kind::opaque;
  result.at = token_.at;
  skip_balanced();
  result.written = source_.text.substr(result.at, end_ - result.at);
  return result;
}

void Parser::skip_balanced() {
  constexpr std::string_view opening = "([{<", closing = ")]}>";
  std::string open;
  do {
    if (is(Token::Kind::end)) fail_expected("the closing bracket");
    if (is(Token::Kind::punctuation) && token_.text.size() == 1) {
      const char c = token_.text[0];
      if (const auto kind = opening.find(c); kind != opening.npos) {
        open += closing[kind];
      } else if (closing.find(c) != closing.npos) {
        if (open.empty() || open.back() != c) fail(token_.at, concat("unbalanced ", quote(token_)));
        open.pop_back();
      } else if (open.empty()) {
        fail_expected("an opening bracket");
      }
    } else if (open.empty()) {
      fail_expected("an opening bracket");
    }
    advance();
  } while (!open.empty());
}

}  // namespace weft::ir::text
