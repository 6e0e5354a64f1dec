#include <weft/ir/bytecode/sdy_encoder.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>
#include <vector>

#include <weft/ir/bytecode/builtin_codes.h>
#include <weft/ir/bytecode/sdy_codes.h>

namespace weft::ir::bytecode {

namespace {

using text::Lexer;
using text::Token;
using Places = std::vector<std::uint64_t>;  // in the table of attributes

class SdyEncoder {
 public:
  SdyEncoder(WriteContext& context, std::string_view text) : context_(context), source_{.text = text}, lexer_(source_) {
    token_ = lexer_.next();
  }

  std::uint64_t attribute();

 private:
  bool is(std::string_view text) const { return token_.text == text; }
  Token take() { return std::exchange(token_, lexer_.next()); }
  bool accept(std::string_view text) { return is(text) && (take(), true); }
  void expect(std::string_view text) {
    if (!accept(text)) fail(concat('\'', text, '\''));
  }
  [[noreturn]] void fail(const std::string& expected) const {
    context_.fail(concat("expected ", expected, ", got ", quote(token_), " in ", source_.text.substr(0, 60)));
  }
  // open item, item, ... close
  void list(std::string_view open, std::string_view close, auto&& item) {
    expect(open);
    for (bool first = true; !accept(close); first = false) {
      if (!first) expect(",");
      item();
    }
  }
  std::uint64_t add(const ByteWriter& encoding, std::string_view dialect = "sdy") {
    return context_.container.attribute(dialect, encoding);
  }
  std::uint64_t string_attribute(std::string_view text) {
    ByteWriter out;
    out.number(static_cast<std::uint64_t>(BuiltinAttribute::string)).number(context_.container.string(text));
    return add(out, "builtin");
  }

  std::string string();
  std::int64_t integer(std::string_view digits) const;
  std::uint64_t mesh();
  std::uint64_t mesh_or_name();
  std::uint64_t axis();
  Places axes();
  std::uint64_t dimension();
  struct Written {
    std::uint64_t place;
    bool is_partial;  // has unreduced axes
  };
  Written sharding();
  std::uint64_t per_value();
  std::uint64_t manual_axes();

  WriteContext& context_;
  const text::Source source_;
  Lexer lexer_;
  Token token_;
};

std::string SdyEncoder::string() {
  if (token_.kind != Token::Kind::string) fail("a name in quotes");
  const std::string_view quoted = take().text;
  return text::unescape(quoted.substr(1, quoted.size() - 2));
}

std::int64_t SdyEncoder::integer(std::string_view digits) const {
  std::int64_t number = 0;
  const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (wrong != std::errc() || end != digits.data() + digits.size()) fail("a number");
  return number;
}

// <["x"=2, "y"=4], device_ids=[1, 0]>
std::uint64_t SdyEncoder::mesh() {
  Places axes;
  std::vector<std::int64_t> devices;
  expect("<");
  list("[", "]", [&] {
    const std::uint64_t name = context_.container.string(string());
    expect("=");
    axes.push_back(add(ByteWriter().number(sdy_mesh_axis).number(name).signed_number(integer(take().text))));
  });
  if (accept(",")) {
    expect("device_ids");
    expect("=");
    list("[", "]", [&] { devices.push_back(integer(take().text)); });
  }
  expect(">");
  return add(ByteWriter().number(sdy_mesh).numbers(axes).signed_numbers(devices));
}

std::uint64_t SdyEncoder::mesh_or_name() {
  if (accept("mesh")) return mesh();
  if (token_.kind != Token::Kind::symbol) fail("a mesh");
  const std::uint64_t name = string_attribute(text::unescape(text::symbol_name(take().text)));
  return add(ByteWriter().number(static_cast<std::uint64_t>(BuiltinAttribute::flat_symbol)).number(name), "builtin");
}

// "x", or "x":(1)2
std::uint64_t SdyEncoder::axis() {
  ByteWriter out;
  out.number(sdy_axis).number(context_.container.string(string()));
  if (!accept(":")) return add(out.number(0));
  expect("(");
  const std::int64_t before = integer(take().text);
  expect(")");
  const std::int64_t size = integer(take().text);
  constexpr bool is_given = true;
  return add(out.flagged(add(ByteWriter().number(sdy_sub_axis).signed_number(before).signed_number(size)), is_given));
}

Places SdyEncoder::axes() {
  Places axes;
  list("{", "}", [&] { axes.push_back(axis()); });
  return axes;
}

// {"x", "y", ?}p1
std::uint64_t SdyEncoder::dimension() {
  Places axes;
  bool is_closed = true;
  list("{", "}", [&] {
    if (accept("?"))
      is_closed = false;
    else
      axes.push_back(axis());
  });
  ByteWriter out;
  out.number(sdy_dimension).numbers(axes).byte(is_closed ? 1 : 0);
  constexpr bool is_given = true;
  if (token_.kind != Token::Kind::identifier || !token_.text.starts_with('p')) return add(out.number(0));
  return add(out.flagged(static_cast<std::uint64_t>(integer(take().text.substr(1))), is_given));
}

// <@mesh, [{"x"}, {?}], replicated={"y"}, unreduced=max{"z"}>. The oldest encoding that can hold it is used.
SdyEncoder::Written SdyEncoder::sharding() {
  expect("<");
  const std::uint64_t mesh = mesh_or_name();
  expect(",");
  Places dimensions, replicated, unreduced;
  list("[", "]", [&] { dimensions.push_back(dimension()); });
  const auto* reduction = std::begin(sdy_reductions);
  while (accept(",")) {
    const bool is_replicated = accept("replicated");
    if (!is_replicated) expect("unreduced");
    expect("=");
    if (!is_replicated && !is("{")) {
      reduction = std::ranges::find(sdy_reductions, token_.text);
      if (reduction == std::end(sdy_reductions)) fail("max or min");
      take();
    }
    (is_replicated ? replicated : unreduced) = axes();
  }
  expect(">");
  const bool is_partial = !unreduced.empty(), is_reduced = is_partial && reduction != std::begin(sdy_reductions);
  ByteWriter out;
  out.number(is_reduced ? sdy_reduced_sharding : is_partial ? sdy_partial_sharding : sdy_sharding);
  out.number(mesh).numbers(dimensions).numbers(replicated);
  if (is_partial) out.numbers(unreduced);
  if (is_reduced) out.signed_number(reduction - std::begin(sdy_reductions));
  return {add(out), is_partial};
}

std::uint64_t SdyEncoder::per_value() {
  Places shardings;
  bool is_partial = false;
  expect("<");
  list("[", "]", [&] {
    const Written one = sharding();
    shardings.push_back(one.place);
    is_partial = is_partial || one.is_partial;
  });
  expect(">");
  return add(ByteWriter().number(is_partial ? sdy_partial_per_value : sdy_per_value).numbers(shardings));
}

std::uint64_t SdyEncoder::manual_axes() {
  Places axes;
  list("{", "}", [&] { axes.push_back(string_attribute(string())); });
  expect(">");
  return add(ByteWriter().number(sdy_manual_axes).numbers(axes));
}

std::uint64_t SdyEncoder::attribute() {
  if (accept(sdy_mesh_name)) return mesh();
  if (accept(sdy_sharding_name)) return sharding().place;
  if (accept(sdy_per_value_name)) return per_value();
  if (source_.text.starts_with(sdy_manual_axes_name)) {
    for (const std::string_view part : {"#sdy", "<", "manual_axes"}) expect(part);
    return manual_axes();
  }
  fail("a mesh, a sharding or manual axes");
}

}  // namespace

std::uint64_t encode_sdy(WriteContext& context, std::string_view text) { return SdyEncoder(context, text).attribute(); }

}  // namespace weft::ir::bytecode
