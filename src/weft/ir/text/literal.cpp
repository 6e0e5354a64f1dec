#include <weft/ir/text/literal.h>

#include <charconv>
#include <limits>
#include <utility>

#include <weft/base/convert.h>
#include <weft/ir/legalize/written.h>

namespace weft::ir::text {

using legalize::WrittenType;

namespace {

template <class T>
inline constexpr bool is_rounded = is_float_type<T> && sizeof(T) <= 2;  // rounded from double
template <class T>
inline constexpr bool is_integer_type = is_integer(dtype_of<T>);

// Returns a real number that is too large or too small for the format, rounded as the format does: to infinity or zero.
template <class T>
T out_of_range(std::string_view digits) {
  const auto exponent = digits.find_first_of("eE");
  const bool small = exponent != digits.npos ? digits.substr(exponent + 1).starts_with('-') : digits.starts_with("0.");
  return small ? T(0) : std::numeric_limits<T>::infinity();
}

template <class T>
T read_real(std::string_view digits) {
  T value{};
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc::result_out_of_range)
    return out_of_range<T>(digits);
  return value;
}

// Reads one element: an optional sign and a number, or a word.
template <class T>
class ElementReader {
 public:
  explicit ElementReader(const Source& source) : source_(source) {}

  T read(Lexer& lexer, Token token) const {
    const bool negative = token.text == "-";
    if (negative) token = lexer.next();
    if constexpr (std::is_same_v<T, bool>) {
      if (token.text == "true" || token.text == "1") return true;
      if (token.text == "false" || token.text == "0") return false;
      source_.fail(token.at, concat("expected true or false, got ", quote(token)));
    } else if constexpr (is_integer_type<T>) {
      return integer(token, negative);
    } else {
      return real(token, negative);
    }
  }

 private:
  std::uint64_t magnitude(const Token& token) const {
    const bool hexadecimal = token.text.starts_with("0x");
    const std::string_view digits = token.text.substr(hexadecimal ? 2 : 0);
    std::uint64_t value = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10).ec != std::errc())
      source_.fail(token.at, concat(quote(token), " does not fit ", dtype_of<T>));
    return value;
  }

  T integer(const Token& token, bool negative) const {
    if (token.kind != Token::Kind::integer) source_.fail(token.at, concat("expected an integer, got ", quote(token)));
    // A signed type accepts the bits of an unsigned number too, like MLIR's signless types.
    constexpr int bits = [] {
      if constexpr (is_narrow_int<T>) return T::bits;
      return static_cast<int>(8 * sizeof(T));
    }();
    constexpr std::uint64_t most = ~std::uint64_t{0} >> (64 - bits);
    constexpr std::uint64_t least = is_signed_integer(dtype_of<T>) ? std::uint64_t{1} << (bits - 1) : 0;
    const std::uint64_t value = magnitude(token);
    if (value > (negative ? least : most))
      source_.fail(token.at, concat(negative ? "-" : "", token.text, " does not fit ", dtype_of<T>));
    return static_cast<T>(negative ? 0 - value : value);
  }

  T real(const Token& token, bool negative) const {
    if (token.kind == Token::Kind::integer && token.text.starts_with("0x")) return from_bits(token, negative);
    if (token.kind != Token::Kind::real && token.kind != Token::Kind::integer)
      source_.fail(token.at, concat("expected a number, got ", quote(token)));
    if constexpr (is_rounded<T>) {
      const double value = read_real<double>(token.text);
      return T(negative ? -value : value);
    } else {
      const T value = read_real<T>(token.text);
      return negative ? -value : value;
    }
  }

  T from_bits(const Token& token, bool negative) const {
    using Half = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>;
    using Bits =
        std::conditional_t<sizeof(T) <= 2, Half, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
    const std::uint64_t bits = magnitude(token);
    if (negative || bits > std::numeric_limits<Bits>::max())
      source_.fail(token.at, concat(quote(token), " does not fit ", dtype_of<T>));
    return std::bit_cast<T>(static_cast<Bits>(bits));
  }

  const Source& source_;
};

// Reads nested lists of the type's shape. An element is one number, or several in parentheses.
template <class T>
class ListReader {
 public:
  ListReader(const Source& source, WrittenType type, std::size_t at)
      : source_(source), type_(type), lexer_(source, at), element_(source) {
    token_ = lexer_.next();
  }

  // Returns the numbers in order; for a splat, only those of its one element.
  std::span<const T> read(std::size_t end) {
    if (token_.text == "[")
      list(0);
    else
      element();
    expect_end(end);
    return {numbers_.get(), count_};
  }

 private:
  [[noreturn]] void fail(std::string_view expected) {
    source_.fail(token_.at, concat("expected ", expected, " in a constant of type ", type_, ", got ", quote(token_)));
  }

  void expect_end(std::size_t end) {
    if (token_.at < end) fail("the end");
  }

  void expect(std::string_view text) {
    if (token_.text != text) fail(concat("'", text, "'"));
    token_ = lexer_.next();
  }

  void list(int dim) {
    if (dim == type_.part.rank()) return element();
    expect("[");
    for (std::int64_t i = 0; i < type_.part.size(dim); ++i) {
      if (i > 0) expect(",");
      list(dim + 1);
    }
    expect("]");
  }

  void element() {
    if (token_.text == "]" || token_.text == "[") fail("an element");
    if (!type_.is_complex) return push();
    expect("(");
    push();
    expect(",");
    push();
    expect(")");
  }

  void push() {
    if (count_ == capacity_) grow();
    numbers_[count_++] = element_.read(lexer_, token_);
    token_ = lexer_.next();
  }

  // Grows with the text, not with the size that the type claims.
  void grow() {
    const std::size_t more = std::max<std::size_t>(16, 2 * capacity_);
    auto numbers = std::make_unique_for_overwrite<T[]>(more);
    std::copy_n(numbers_.get(), count_, numbers.get());
    numbers_ = std::move(numbers);
    capacity_ = more;
  }

  const Source& source_;
  WrittenType type_;
  Lexer lexer_;
  ElementReader<T> element_;
  Token token_;
  std::unique_ptr<T[]> numbers_;
  std::size_t count_ = 0, capacity_ = 0;
};

// Returns the bytes of 0xAABB.
std::span<std::byte> read_hexadecimal(const Source& source, std::string_view digits, std::size_t at, Arena& arena) {
  if (!digits.starts_with("0x") || digits.size() % 2 != 0)
    source.fail(at, "expected \"0x\" and two digits for every byte");
  digits.remove_prefix(2);
  const std::size_t count = digits.size() / 2;
  const std::span bytes(static_cast<std::byte*>(arena.allocate(count, alignof(std::max_align_t))), count);
  for (std::size_t i = 0; i < count; ++i) {
    const int high = hex_value(digits[2 * i]), low = hex_value(digits[2 * i + 1]);
    if (high < 0 || low < 0)
      source.fail(at, concat("expected hexadecimal digits, got '", digits.substr(2 * i, 2), "'"));
    bytes[i] = static_cast<std::byte>(high * 16 + low);
  }
  return bytes;
}

// Booleans take one byte each or, as older writers packed them, one bit each.
std::span<std::byte> unpack_booleans(std::span<std::byte> bytes, Type type, Arena& arena) {
  const std::size_t count = type.elements();
  if (bytes.size() != count && bytes.size() != 1 && bytes.size() == (count + 7) / 8) {
    const std::span unpacked(static_cast<std::byte*>(arena.allocate(count, 1)), count);
    for (std::size_t i = 0; i < count; ++i) unpacked[i] = (bytes[i / 8] >> (i % 8)) & std::byte{1};
    return unpacked;
  }
  for (std::byte& b : bytes) b = b == std::byte{0} ? b : std::byte{1};
  return bytes;
}

// Requires the bytes of all elements, or of one element of a splat, which is dropped if there are no elements.
template <class Byte>
std::span<Byte> checked(const Source& source, std::size_t at, std::span<Byte> bytes, WrittenType type) {
  const std::size_t parts = type.is_complex ? 2 : 1, expected = parts * type.part.bytes();
  const bool is_splat = bytes.size() == parts * byte_size(type.part.dtype());
  if (bytes.size() != expected && !is_splat)
    source.fail(at, concat("expected ", expected, " bytes for ", type, ", got ", bytes.size()));
  return expected == 0 ? std::span<Byte>() : bytes;
}

Literal checked_bytes(const Source& source, std::size_t at, std::span<std::byte> bytes, Type type, Arena& arena) {
  if (type.dtype() == DType::boolean) bytes = unpack_booleans(bytes, type, arena);
  if (is_narrow(type.dtype()))  // ignores the upper bits
    visit_any(type.dtype(), [&]<class T>(T) {
      if constexpr (is_narrow_int<T>)
        for (std::byte& b : bytes) b = static_cast<std::byte>(T(static_cast<std::uint8_t>(b)).value);
    });
  const DType dtype = type.dtype();
  if (dtype == DType::f4E2M1FN || dtype == DType::f6E2M3FN || dtype == DType::f6E3M2FN)
    visit_any(dtype, [&]<class T>(T) {
      if constexpr (sizeof(T) == 1 && is_float_type<T>)
        for (std::byte& b : bytes) b = std::bit_cast<std::byte>(T(static_cast<double>(std::bit_cast<T>(b))));
    });
  return {type, checked(source, at, bytes, type)};
}

// Splits pairs of numbers of the part's dtype: all of them, or the single pair of a splat.
ComplexLiteral separate(std::span<const std::byte> pairs, Type part, Arena& arena) {
  const std::size_t width = byte_size(part.dtype());
  const auto take = [&](std::size_t first) {
    const std::span numbers(static_cast<std::byte*>(arena.allocate(pairs.size() / 2, width)), pairs.size() / 2);
    for (std::size_t i = 0; i < numbers.size(); i += width)
      std::memcpy(numbers.data() + i, pairs.data() + 2 * i + first, width);
    return Literal{part, numbers};
  };
  return {take(0), take(width)};
}

// The text between < and >: nothing, a string of bytes, or numbers.
enum class Body { empty, bytes, numbers };

Body body_kind(const Source& source, std::string_view body, WrittenType type, Token& first) {
  const std::size_t at = body.data() - source.text.data();
  if (type.part.dtype() == DType::token) source.fail(at, "a token has no elements");
  first = Lexer(source, at).next();
  if (body.empty() || first.at >= at + body.size()) {
    if (type.part.elements() != 0) source.fail(at, concat("expected the elements of ", type));
    return Body::empty;
  }
  return first.kind == Token::Kind::string ? Body::bytes : Body::numbers;
}

std::span<std::byte> read_string(const Source& source, const Token& string, Arena& arena) {
  return read_hexadecimal(source, string.text.substr(1, string.text.size() - 2), string.at, arena);
}

// Returns the numbers of nested lists, as bytes.
std::span<const std::byte> read_lists(const Source& source, std::string_view body, WrittenType type, Arena& arena) {
  const std::size_t at = body.data() - source.text.data();
  return visit_any(type.part.dtype(), [&](auto tag) {
    ListReader<decltype(tag)> reader(source, type, at);
    return std::span<const std::byte>(arena.copy(std::as_bytes(reader.read(at + body.size()))));
  });
}

std::span<std::byte> copy_of_bytes(std::string_view bytes, Arena& arena) {
  const std::span copy(static_cast<std::byte*>(arena.allocate(bytes.size(), alignof(std::max_align_t))), bytes.size());
  std::ranges::copy(std::as_bytes(std::span(bytes)), copy.begin());
  return copy;
}

std::span<std::byte> read_blob(const Source& source, std::size_t at, std::string_view blob, Arena& arena) {
  constexpr std::size_t alignment_bytes = 4;
  const std::span<std::byte> bytes = read_hexadecimal(source, blob, at, arena);
  if (bytes.size() < alignment_bytes) source.fail(at, "the resource holds no data");
  return bytes.subspan(alignment_bytes);
}

}  // namespace

Literal read_literal(const Source& source, const Attribute& dense, Type type, Arena& arena) {
  if (dense.is_raw) return checked_bytes(source, dense.at, copy_of_bytes(dense.text, arena), type, arena);
  const std::string_view body = dense.text;
  Token first;
  switch (body_kind(source, body, type, first)) {
    case Body::empty: return {type, {}};
    case Body::bytes: return checked_bytes(source, first.at, read_string(source, first, arena), type, arena);
    case Body::numbers: break;
  }
  return {type, read_lists(source, body, type, arena)};
}

ComplexLiteral read_complex_literal(const Source& source, const Attribute& dense, Type part, Arena& arena) {
  const WrittenType type(part, true);
  if (dense.is_raw) {
    const std::span<const std::byte> bytes = copy_of_bytes(dense.text, arena);
    return separate(checked(source, dense.at, bytes, type), part, arena);
  }
  const std::string_view body = dense.text;
  Token first;
  switch (body_kind(source, body, type, first)) {
    case Body::empty: return {{part, {}}, {part, {}}};
    case Body::bytes: {
      const std::span<const std::byte> bytes = read_string(source, first, arena);
      return separate(checked(source, first.at, bytes, type), part, arena);
    }
    case Body::numbers: break;
  }
  return separate(read_lists(source, body, type, arena), part, arena);
}

Literal read_resource(const Source& source, std::size_t at, std::string_view blob, Type type, Arena& arena) {
  return checked_bytes(source, at, read_blob(source, at, blob, arena), type, arena);
}

ComplexLiteral read_complex_resource(const Source& source, std::size_t at, std::string_view blob, Type part,
                                     Arena& arena) {
  const std::span<const std::byte> bytes = read_blob(source, at, blob, arena);
  return separate(checked(source, at, bytes, {part, true}), part, arena);
}

}  // namespace weft::ir::text
