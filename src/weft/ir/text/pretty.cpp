#include <weft/ir/text/pretty.h>

#include <charconv>
#include <utility>

namespace weft::ir::text {

namespace {

Attribute text_attribute(Attribute::Kind kind, std::string_view text, std::size_t at) {
  Attribute result;
  result.kind = kind;
  result.at = at;
  result.text = text;
  return result;
}

Attribute word(const Token& token) { return text_attribute(Attribute::Kind::word, token.text, token.at); }

Attribute integer(std::int64_t value, std::size_t at) {
  Attribute result;
  result.kind = Attribute::Kind::integer;
  result.at = at;
  result.integer = value;
  return result;
}

Attribute integers(std::vector<std::int64_t> values, std::size_t at) {
  Attribute result;
  result.kind = Attribute::Kind::integers;
  result.at = at;
  result.integers = std::move(values);
  return result;
}

// ---------------------------------------------------------------------------------------------------------------------
// Keywords that denote attributes: broadcast_in_dim %x, dims = [0].

struct Keyword {
  std::string_view operation, keyword, attribute;
};
constexpr Keyword keywords[] = {
    {"stablehlo.broadcast", "sizes", "broadcast_sizes"},
    {"stablehlo.broadcast_in_dim", "dims", "broadcast_dimensions"},
    {"stablehlo.concatenate", "dim", "dimension"},
    {"stablehlo.dot", "precision", "precision_config"},
    {"stablehlo.dot_general", "precision", "precision_config"},
    {"stablehlo.dynamic_broadcast_in_dim", "dims", "broadcast_dimensions"},
    {"stablehlo.dynamic_iota", "dim", "iota_dimension"},
    {"stablehlo.dynamic_slice", "sizes", "slice_sizes"},
    {"stablehlo.einsum", "config", "einsum_config"},
    {"stablehlo.fft", "length", "fft_length"},
    {"stablehlo.fft", "type", "fft_type"},
    {"stablehlo.get_dimension_size", "dim", "dimension"},
    {"stablehlo.iota", "dim", "iota_dimension"},
    {"stablehlo.pad", "high", "edge_padding_high"},
    {"stablehlo.pad", "interior", "interior_padding"},
    {"stablehlo.pad", "low", "edge_padding_low"},
    {"stablehlo.reverse", "dims", "dimensions"},
    {"stablehlo.rng_bit_generator", "algorithm", "rng_algorithm"},
    {"stablehlo.transpose", "dims", "permutation"},
    {"stablehlo.unary_einsum", "config", "einsum_config"},
};

std::string_view attribute_of(std::string_view operation, std::string_view keyword) {
  for (const Keyword& k : keywords)
    if (k.operation == operation && k.keyword == keyword) return k.attribute;
  return keyword;
}

void keyword_value(Parser& p, Operation& op) {
  const std::string_view keyword = p.take(Token::Kind::identifier, "a keyword").text;
  p.expect("=");
  // A colon after a number belongs to the operation: iota dim = 0 : tensor<4xi32>.
  const bool is_number = p.is(Token::Kind::integer) || p.is("-");
  const std::size_t at = p.token().at;
  op.attributes.push_back({attribute_of(op.name, keyword), is_number ? integer(p.integer(), at) : p.attribute()});
}

void attributes_and_signature(Parser& p, Operation& op) {
  p.optional_dictionary(op.attributes);
  p.expect(":");
  p.signature(op);
}

void default_form(Parser& p, Operation& op) {
  if (p.is("(")) {
    op.operands = p.parenthesised_uses();
  } else if (p.is(Token::Kind::value) || p.is(Token::Kind::identifier)) {
    p.items([&] {
      if (p.is(Token::Kind::value))
        op.operands.push_back(p.use());
      else
        keyword_value(p, op);
    });
  }
  attributes_and_signature(p, op);
  if (!op.operand_types.empty() || op.name == "stablehlo.complex") return;
  if (op.result_types.size() == 1)  // one type for all operands
    op.operand_types.resize(op.operands.size(), op.result_types[0]);
  else if (op.result_types.size() == op.operands.size())
    op.operand_types = op.result_types;
}

// ---------------------------------------------------------------------------------------------------------------------
// Syntax of individual operations

// constant dense<0> : tensor<i32>
void constant(Parser& p, Operation& op) {
  p.optional_dictionary(op.attributes);
  const std::size_t at = p.token().at;
  Attribute value = p.attribute();
  if (!value.type) p.fail(at, "expected dense<...> : tensor<...>");
  op.result_types = {value.type};
  op.attributes.push_back({"value", std::move(value)});
}

// expect_eq_const %x, dense<0> : tensor<i32>
void expect_const(Parser& p, Operation& op) {
  p.items([&] {
    if (p.is(Token::Kind::value))
      op.operands.push_back(p.use());
    else if (p.is("dense") || p.is("dense_resource"))
      op.attributes.push_back({"value", p.attribute()});
    else
      keyword_value(p, op);
  });
  p.optional_dictionary(op.attributes);
}

// compare LT, %a, %b, SIGNED : types
void compare(Parser& p, Operation& op) {
  op.attributes.push_back({"comparison_direction", word(p.take(Token::Kind::identifier, "a direction such as LT"))});
  p.expect(",");
  p.items([&] {
    if (p.is(Token::Kind::value))
      op.operands.push_back(p.use());
    else
      op.attributes.push_back(
          {"compare_type", word(p.take(Token::Kind::identifier, "a value or a type such as SIGNED"))});
  });
  attributes_and_signature(p, op);
}

// select %p, %a, %b : tensor<i1>, tensor<f32>
void select(Parser& p, Operation& op) {
  op.operands = p.uses();
  p.optional_dictionary(op.attributes);
  p.expect(":");
  const std::size_t at = p.token().at;
  p.signature(op);
  if (!op.operand_types.empty()) return;
  if (op.result_types.size() != 2)
    p.fail(at, concat("expected the types of the predicate and of the result, got ", op.result_types.size(), " types"));
  op.operand_types = {op.result_types[0], op.result_types[1], op.result_types[1]};
  op.result_types = {op.result_types[1]};
}

// slice %x [0:4:2, 1:3] : types
void slice(Parser& p, Operation& op) {
  op.operands = p.uses();
  const std::size_t at = p.token().at;
  std::vector<std::int64_t> start, limit, strides;
  p.list("[", "]", [&] {
    start.push_back(p.integer());
    p.expect(":");
    limit.push_back(p.integer());
    strides.push_back(p.accept(":") ? p.integer() : 1);
  });
  op.attributes.push_back({"start_indices", integers(std::move(start), at)});
  op.attributes.push_back({"limit_indices", integers(std::move(limit), at)});
  op.attributes.push_back({"strides", integers(std::move(strides), at)});
  attributes_and_signature(p, op);
}

// reduce_precision %x, format = e8m7 : types
void reduce_precision(Parser& p, Operation& op) {
  op.operands = {p.use()};
  p.expect(",");
  p.expect("format");
  p.expect("=");
  const Token format = p.take(Token::Kind::identifier, "a format such as e8m7");
  const char* const end = format.text.data() + format.text.size();
  std::int64_t exponent = 0, mantissa = 0;
  const auto e = std::from_chars(std::min(format.text.data() + 1, end), end, exponent);
  const auto m = std::from_chars(std::min(e.ptr + 1, end), end, mantissa);
  const bool reads = format.text[0] == 'e' && e.ec == std::errc() && e.ptr != end && *e.ptr == 'm' &&
                     m.ec == std::errc() && m.ptr == end;
  if (!reads) p.fail(format.at, concat("expected a format such as e8m7, got ", quote(format)));
  op.attributes.push_back({"exponent_bits", integer(exponent, format.at)});
  op.attributes.push_back({"mantissa_bits", integer(mantissa, format.at)});
  attributes_and_signature(p, op);
}

// dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : types
void dot_general(Parser& p, Operation& op) {
  Attribute numbers;
  numbers.kind = Attribute::Kind::dictionary;
  numbers.at = p.token().at;
  const auto pair = [&](std::string_view lhs, std::string_view rhs) {
    p.take();
    p.expect("=");
    numbers.fields.push_back({lhs, p.attribute()});
    p.expect("x");
    numbers.fields.push_back({rhs, p.attribute()});
  };
  p.items([&] {
    if (p.is(Token::Kind::value)) {
      op.operands.push_back(p.use());
    } else if (p.is("batching_dims")) {
      pair("lhs_batching_dimensions", "rhs_batching_dimensions");
    } else if (p.is("contracting_dims")) {
      pair("lhs_contracting_dimensions", "rhs_contracting_dimensions");
    } else if (p.accept("algorithm")) {
      p.expect("=");
      Attribute algorithm;
      algorithm.kind = Attribute::Kind::dictionary;
      algorithm.at = p.token().at;
      p.expect("<");
      p.struct_fields(p.take(Token::Kind::identifier, "a field's name").text, algorithm.fields);
      p.expect(">");
      op.attributes.push_back({"algorithm", std::move(algorithm)});
    } else {
      keyword_value(p, op);
    }
  });
  op.attributes.push_back({"dot_dimension_numbers", std::move(numbers)});
  attributes_and_signature(p, op);
}

// convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[0, 0]]} {...} : types
void convolution(Parser& p, Operation& op) {
  constexpr std::pair<std::string_view, std::string_view> window_keywords[] = {
      {"stride", "window_strides"},   {"pad", "padding"},
      {"lhs_dilate", "lhs_dilation"}, {"rhs_dilate", "rhs_dilation"},
      {"reverse", "window_reversal"},
  };
  op.operands = p.parenthesised_uses();
  p.expect("dim_numbers");
  p.expect("=");
  op.attributes.push_back({"dimension_numbers", p.convolution_dimensions()});
  p.expect(",");
  p.expect("window");
  p.expect("=");
  p.list("{", "}", [&] {
    for (const auto& [keyword, attribute] : window_keywords) {
      if (!p.accept(keyword)) continue;
      p.expect("=");
      op.attributes.push_back({attribute, p.attribute()});
      return;
    }
    p.fail_expected("stride, pad, lhs_dilate, rhs_dilate or reverse");
  });
  attributes_and_signature(p, op);
}

// Returns the body of `applies stablehlo.add`.
Region applied(Parser& p, const Token& name, WrittenType element) {
  const Name lhs = p.name("%lhs"), rhs = p.name("%rhs"), sum = p.name("%result");
  Operation op;
  op.name = name.text;
  op.at = name.at;
  op.results = {{sum, 1}};
  op.operands = {{lhs, 0, name.at}, {rhs, 0, name.at}};
  op.result_types = {element};
  Operation result;
  result.name = "stablehlo.return";
  result.at = name.at;
  result.operands = {{sum, 0, name.at}};
  Region body{name.at, {{lhs, element, name.at}, {rhs, element, name.at}}, {}, {}};
  body.operations.push_back(std::move(op));
  body.operations.push_back(std::move(result));
  return body;
}

// reduce(%x init: %a), (%y init: %b) across dimensions = [1] {...} : types reducer(%p: T, %q: T) (%r: U, %s: U) {...}
// reduce(%x init: %a) applies stablehlo.add across dimensions = [1] : types
void reduce(Parser& p, Operation& op) {
  Uses inits;
  p.items([&] {
    p.expect("(");
    op.operands.push_back(p.use());
    p.expect("init");
    p.expect(":");
    inits.push_back(p.use());
    p.expect(")");
  });
  const std::size_t count = op.operands.size();
  op.operands.append(inits);
  const bool applies = p.accept("applies");
  Token applied_name;
  if (applies) applied_name = p.operation_name();
  p.expect("across");
  p.expect("dimensions");
  p.expect("=");
  op.attributes.push_back({"dimensions", p.attribute()});
  const std::size_t types_at = p.token().at;
  attributes_and_signature(p, op);
  if (applies) {
    if (count != 1 || op.operand_types.size() != 2)
      p.fail(types_at, "'applies' is for one operand and its initial value");
    op.regions.push_back(applied(p, applied_name, op.operand_types[1]));
    return;
  }
  // Each pair of parentheses contains one argument of the first half and its counterpart of the second half.
  p.expect("reducer");
  std::vector<Argument> first, second;
  while (p.is("(")) {
    p.expect("(");
    first.push_back(p.argument());
    p.expect(",");
    second.push_back(p.argument());
    p.expect(")");
  }
  first.insert(first.end(), second.begin(), second.end());
  p.optional_location();
  op.regions.push_back(p.region(std::move(first)));
}

// while(%a = %x, %b = %y) : types attributes {...} cond {...} do {...}
void while_(Parser& p, Operation& op) {
  std::vector<Argument> arguments;
  p.list("(", ")", [&] {
    const Token name = p.take(Token::Kind::value, "an argument such as %iterArg");
    arguments.push_back({p.name(name.text), {}, name.at});
    p.expect("=");
    op.operands.push_back(p.use());
  });
  if (p.accept(":")) op.result_types = p.types();
  if (p.accept("attributes")) p.optional_dictionary(op.attributes);
  if (op.result_types.size() != arguments.size())
    p.fail(op.at, concat("expected ", arguments.size(), " types, got ", op.result_types.size()));
  for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i].type = op.result_types[i];
  p.expect("cond");
  op.regions.push_back(p.region(arguments));
  p.expect("do");
  op.regions.push_back(p.region(std::move(arguments)));
}

// custom_call @target(%a) {...} : types
void custom_call(Parser& p, Operation& op) {
  const Token target = p.take(Token::Kind::symbol, "the name of what is called");
  op.attributes.push_back(
      {"call_target_name", text_attribute(Attribute::Kind::string, symbol_name(target.text), target.at)});
  op.operands = p.parenthesised_uses();
  attributes_and_signature(p, op);
}

// top_k(%x, k = 2) {...} : types
void top_k(Parser& p, Operation& op) {
  p.list("(", ")", [&] {
    if (p.is(Token::Kind::value))
      op.operands.push_back(p.use());
    else
      keyword_value(p, op);
  });
  attributes_and_signature(p, op);
}

// scan(%x, %y) inits(%a) dimension=0 attributes {...} {...} : types
void scan(Parser& p, Operation& op) {
  const std::size_t at = p.token().at;
  op.operands = p.parenthesised_uses();
  p.expect("inits");
  const Uses inits = p.parenthesised_uses();
  const auto count = [](const Uses& uses) { return std::ssize(uses); };
  op.attributes.push_back({"operandSegmentSizes", integers({count(op.operands), count(inits)}, at)});
  op.operands.append(inits);
  while (p.is("dimension")) keyword_value(p, op);
  if (p.accept("attributes")) p.dictionary(op.attributes);
  op.regions.push_back(p.region());
  attributes_and_signature(p, op);
}

// composite "namespace.name" %a, %b {decomposition = @f, ...} : types
void composite(Parser& p, Operation& op) {
  const std::size_t at = p.token().at;
  op.attributes.push_back({"name", text_attribute(Attribute::Kind::string, p.string(), at)});
  op.operands = p.uses();
  attributes_and_signature(p, op);
}

// print %x : type
void without_results(Parser& p, Operation& op) {
  default_form(p, op);
  op.operand_types = std::exchange(op.result_types, {});
}

// expect_eq %x, %y : type
void expect(Parser& p, Operation& op) {
  default_form(p, op);
  op.result_types.clear();
}

// call @f(%a) : types
void call(Parser& p, Operation& op) {
  const Token callee = p.take(Token::Kind::symbol, "the name of a function");
  op.attributes.push_back({"callee", text_attribute(Attribute::Kind::symbol, symbol_name(callee.text), callee.at)});
  op.operands = p.parenthesised_uses();
  attributes_and_signature(p, op);
}

// return %a, %b : types
void return_(Parser& p, Operation& op) {
  op.operands = p.uses();
  p.optional_dictionary(op.attributes);
  if (p.accept(":")) op.operand_types = p.types();
}

// sharding_constraint %x <@mesh, [{"x"}, {}]> : type
void sharding(Parser& p, Operation& op) {
  op.operands = p.uses();
  op.attributes.push_back({"sharding", p.balanced()});
  attributes_and_signature(p, op);
}

// sharding_group %x group_id=0 : type
void sharding_group(Parser& p, Operation& op) {
  op.operands = p.uses();
  p.expect("group_id");
  p.expect("=");
  p.take(Token::Kind::integer, "the number of a group");
  p.optional_dictionary(op.attributes);
  p.expect(":");
  op.operand_types = p.types();
}

// all_gather [{"x"}, {}] %x out_sharding=<@mesh, [{}, {}]> : type, and so on: the axes follow from the shardings, except for
// all_reduce {"x"} %x, whose operand need not be declared a partial sum.
void sharding_change(Parser& p, Operation& op) {
  if (op.name == "sdy.all_reduce" && p.is("{")) {
    op.attributes.push_back({"reduction_axes", p.balanced()});
  } else if (!p.is(Token::Kind::value)) {
    p.skip_balanced();
  }
  op.operands = p.uses();
  p.expect("out_sharding");
  p.expect("=");
  op.attributes.push_back({"out_sharding", p.balanced()});
  attributes_and_signature(p, op);
}

// manual_computation(%x) in_shardings=[...] out_shardings=[...] manual_axes={...} (%a: type) {...} : types
void manual_computation(Parser& p, Operation& op) {
  op.operands = p.parenthesised_uses();
  for (const std::string_view name : {"in_shardings", "out_shardings", "manual_axes"}) {
    p.expect(name);
    p.expect("=");
    op.attributes.push_back({name, p.balanced()});
  }
  std::vector<Argument> arguments;
  p.list("(", ")", [&] { arguments.push_back(p.argument()); });
  op.regions.push_back(p.region(std::move(arguments)));
  attributes_and_signature(p, op);
}

struct Syntax {
  std::string_view name;
  void (*read)(Parser&, Operation&);
};
constexpr Syntax syntaxes[] = {
    {"check.expect_almost_eq", expect},
    {"check.expect_almost_eq_const", expect_const},
    {"check.expect_close", expect},
    {"check.expect_eq", expect},
    {"check.expect_eq_const", expect_const},
    {"check.expect_serialized_eq", without_results},
    {"chlo.scan", scan},
    {"chlo.top_k", top_k},
    {"func.call", call},
    {"func.return", return_},
    {"interpreter.print", without_results},
    {"sdy.all_gather", sharding_change},
    {"sdy.all_reduce", sharding_change},
    {"sdy.all_slice", sharding_change},
    {"sdy.all_to_all", sharding_change},
    {"sdy.collective_permute", sharding_change},
    {"sdy.constant", constant},
    {"sdy.manual_computation", manual_computation},
    {"sdy.reduce_scatter", sharding_change},
    {"sdy.reshard", sharding},
    {"sdy.return", return_},
    {"sdy.sharding_constraint", sharding},
    {"sdy.sharding_group", sharding_group},
    {"stablehlo.compare", compare},
    {"stablehlo.composite", composite},
    {"stablehlo.constant", constant},
    {"stablehlo.convolution", convolution},
    {"stablehlo.dynamic_conv", convolution},
    {"stablehlo.custom_call", custom_call},
    {"stablehlo.dot_general", dot_general},
    {"stablehlo.reduce", reduce},
    {"stablehlo.reduce_precision", reduce_precision},
    {"stablehlo.return", return_},
    {"stablehlo.select", select},
    {"stablehlo.slice", slice},
    {"stablehlo.while", while_},
};

}  // namespace

void read_pretty(Parser& parser, Operation& operation) {
  for (const Syntax& syntax : syntaxes)
    if (syntax.name == operation.name) return syntax.read(parser, operation);
  default_form(parser, operation);
}

}  // namespace weft::ir::text
