#include <weft/data/npy_header.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <weft/base/error.h>

namespace weft::data {

namespace {

// NumPy's name (kind and bytes) of each DType, in the order of DType.
constexpr std::string_view names[dtype_count] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2",
                                                 "u4", "u8", "f2", "V2", "f4", "f8"};

// Returns NumPy's name of complex numbers whose parts have this dtype; empty if there is none.
std::string_view complex_name(DType part) {
  if (part == DType::f32) return "c8";
  return part == DType::f64 ? "c16" : "";
}

class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      entry();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    blanks();
    if (at_ != text_.size()) fail("expected nothing more");
    if (!dtype_ || !shape_ || !fortran_order_) fail("expected descr, fortran_order and shape");
    return {Type(*dtype_, *shape_), is_complex_, is_big_endian_, *fortran_order_};
  }

 private:
  [[noreturn]] void fail(std::string_view what) const { weft::fail("header, character ", at_, ": ", what); }

  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept(char c) {
    blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(concat("expected '", c, "'"));
  }
  bool accept(std::string_view word) {
    blanks();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::string_view string() {
    blanks();
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::size_t end = text_.find(quote, at_);
    if (end == text_.npos) fail("expected the string to end");
    const std::string_view body = text_.substr(at_, end - at_);
    at_ = end + 1;
    return body;
  }

  void entry() {
    blanks();
    const std::size_t start = at_;
    const std::string_view key = string();
    expect(':');
    const bool is_new =
        (key == "descr" && !dtype_) || (key == "fortran_order" && !fortran_order_) || (key == "shape" && !shape_);
    if (!is_new) {
      at_ = start;
      fail("expected descr, fortran_order and shape, once each");
    }
    if (key == "descr") return descr();
    if (key == "shape") return shape();
    if (accept("True")) {
      fortran_order_ = true;
    } else if (accept("False")) {
      fortran_order_ = false;
    } else {
      fail("expected True or False");
    }
  }

  void descr() {
    blanks();
    const std::size_t start = at_;
    std::string_view name;
    if (at_ < text_.size() && text_[at_] != '[') name = string();
    const bool has_order = !name.empty() && std::string_view("<>|=").find(name[0]) != std::string_view::npos;
    dtype_ = has_order ? dtype(name.substr(1)) : std::nullopt;
    if (!dtype_) {
      at_ = start;
      fail("expected a boolean or a type of numbers such as '<f4', records are not read");
    }
    is_big_endian_ = name[0] == '>' && byte_size(*dtype_) > 1;
  }

  std::optional<DType> dtype(std::string_view name) {
    for (const DType part : {DType::f32, DType::f64})
      if (is_complex_ = name == complex_name(part); is_complex_) return part;
    const auto* found = std::ranges::find(names, name);
    if (found == std::end(names)) return std::nullopt;
    return static_cast<DType>(found - std::begin(names));
  }

  void shape() {
    expect('(');
    std::vector<Dim> dims;
    std::int64_t elements = 1;
    while (!accept(')')) {
      blanks();
      std::int64_t size = 0;
      const char* const begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), size);
      if (error != std::errc() || size < 0) fail("expected the size of a dimension");
      if (std::ssize(dims) == Type::max_rank) fail(concat("expected at most ", Type::max_rank, " dimensions"));
      if (size > 0 && elements > std::numeric_limits<std::int64_t>::max() / 16 / size) fail("expected fewer elements");
      elements *= std::max<std::int64_t>(size, 1);
      at_ += end - begin;
      dims.emplace_back(size);
      if (accept(',')) continue;
      if (dims.size() == 1) fail("expected ',': (n,) is the shape of one dimension");
      expect(')');
      break;
    }
    shape_ = std::move(dims);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<DType> dtype_;
  std::optional<std::vector<Dim>> shape_;
  std::optional<bool> fortran_order_;
  bool is_big_endian_ = false, is_complex_ = false;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text) { return HeaderParser(text).parse(); }

std::string print_npy_header(Type type, bool is_complex) {
  std::string shape;
  for (int d = 0; d < type.rank(); ++d) shape += concat(d ? ", " : "", type.size(d));
  if (type.rank() == 1) shape += ',';
  require(static_cast<int>(type.dtype()) < dtype_count, "write_npy: NumPy has no elements like those of ", type);
  const std::string_view name = is_complex ? complex_name(type.dtype()) : names[static_cast<int>(type.dtype())];
  require(!name.empty(), "write_npy: NumPy has no complex numbers with parts of ", type);
  return concat("{'descr': '", byte_size(type.dtype()) == 1 ? '|' : '<', name, "', 'fortran_order': False, 'shape': (",
                shape, "), }");
}

std::string npy_preamble(Type type, bool is_complex) {
  std::string header = print_npy_header(type, is_complex);
  constexpr std::size_t prefix = 10, alignment = 64;
  header.resize((prefix + header.size() + alignment) / alignment * alignment - prefix, ' ');
  header.back() = '\n';
  const auto byte = [](std::size_t number) { return static_cast<char>(number & 0xff); };
  return std::string(npy_magic) + std::string{1, 0, byte(header.size()), byte(header.size() >> 8)} + header;
}

}  // namespace weft::data
