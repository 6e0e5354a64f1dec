#include <weft/ir/text/parser.h>

#include <charconv>
#include <utility>

#include <weft/ir/text/lower.h>
#include <weft/ir/text/pretty.h>

namespace weft::ir::text {

Parser::Parser(const Source& source, const ParseLimits& limits) : source_(source), limits_(limits), lexer_(source) {
  require(source.text.size() <= limits.bytes, "parse: the text has ", source.text.size(), " bytes, at most ",
          limits.bytes, " are read");
  advance();
}

// ---------------------------------------------------------------------------------------------------------------------
// Tokens

bool Parser::is(std::string_view text) const {
  return (token_.kind == Token::Kind::punctuation || token_.kind == Token::Kind::identifier) && token_.text == text;
}

Token Parser::take() {
  end_ = lexer_.position();
  return std::exchange(token_, lexer_.next());
}

Token Parser::take(Token::Kind kind, std::string_view what) {
  if (token_.kind != kind) fail_expected(what);
  return take();
}

bool Parser::accept(std::string_view text) {
  if (!is(text)) return false;
  advance();
  return true;
}

void Parser::expect(std::string_view text) {
  if (!accept(text)) fail_expected(concat("'", text, "'"));
}

void Parser::fail_expected(std::string_view what) const {
  fail(token_.at, concat("expected ", what, ", got ", quote(token_)));
}

void Parser::fail(std::size_t at, const std::string& message) const {
  source_.fail(at, operation_.empty() ? message : concat(operation_, ": ", message));
}

void Parser::fail_unsupported(std::size_t at, const std::string& message, std::string_view feature) const {
  source_.fail_unsupported(at, operation_.empty() ? message : concat(operation_, ": ", message), feature);
}

void Parser::count(std::int64_t& counter, std::int64_t most, std::string_view what) {
  if (++counter > most) fail(token_.at, concat("more than ", most, " ", what));
}

void Parser::items(const std::function<void()>& item) {
  do item();
  while (accept(","));
}

void Parser::list(std::string_view open, std::string_view close, const std::function<void()>& item) {
  expect(open);
  if (accept(close)) return;
  items(item);
  expect(close);
}

// ---------------------------------------------------------------------------------------------------------------------
// Values and signatures

Use Parser::use() {
  const Token token = take(Token::Kind::value, "a value such as %0");
  const auto hash = token.text.find('#');
  Use use{name(token.text.substr(0, hash)), 0, token.at};
  if (hash != token.text.npos) {
    const std::string_view digits = token.text.substr(hash + 1);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), use.index).ec != std::errc())
      fail(token.at, concat(quote(token), ": no operation has so many results"));
  }
  return use;
}

Uses Parser::uses() {
  Uses uses;
  if (is(Token::Kind::value)) items([&] { uses.push_back(use()); });
  return uses;
}

Uses Parser::parenthesised_uses() {
  Uses uses;
  list("(", ")", [&] { uses.push_back(use()); });
  return uses;
}

WrittenTypes Parser::types() {
  WrittenTypes types;
  items([&] { types.push_back(type()); });
  return types;
}

WrittenTypes Parser::result_types() {
  WrittenTypes results;
  if (!is("(")) return {type()};
  list("(", ")", [&] { results.push_back(type()); });
  return results;
}

void Parser::function_type(Operation& operation) {
  list("(", ")", [&] { operation.operand_types.push_back(type()); });
  expect("->");
  operation.result_types = result_types();
}

void Parser::signature(Operation& operation) {
  if (is("(")) return function_type(operation);
  WrittenTypes listed = types();
  if (!accept("->")) {
    operation.result_types = std::move(listed);
    return;
  }
  operation.operand_types = std::move(listed);
  operation.result_types = result_types();
}

Argument Parser::argument() {
  const Token name = take(Token::Kind::value, "an argument such as %arg0");
  expect(":");
  Argument argument{this->name(name.text), type(), name.at, {}};
  optional_dictionary(argument.attributes);
  argument.location = optional_location();
  return argument;
}

std::size_t Parser::optional_location() {
  if (!is("loc")) return nowhere;
  const std::size_t at = take().at;
  if (!is("(")) fail_expected("'('");
  skip_balanced();
  return at;
}

// ---------------------------------------------------------------------------------------------------------------------
// Operations

Region Parser::region(std::vector<Argument> arguments) {
  const Nested nested(*this);
  Region region{token_.at, std::move(arguments), {}, {}};
  expect("{");
  if (is(Token::Kind::block)) {
    advance();
    if (is("(")) list("(", ")", [&] { region.arguments.push_back(argument()); });
    expect(":");
  }
  while (!is("}")) {
    if (is(Token::Kind::block)) fail(token_.at, "a region has one block here");
    region.operations.push_back(operation());
  }
  advance();
  region.captures = captures_of(region);
  return region;
}

Token Parser::operation_name() {
  Token name = token_;
  if (is(Token::Kind::string)) {
    name.text = name.text.substr(1, name.text.size() - 2);
  } else if (!is(Token::Kind::identifier)) {
    fail_expected("an operation");
  }
  name.text = full_name(name.text);
  if (!known_operations_.contains(name.text)) {
    require_known(source_, name.at, name.text, quote(name));
    known_operations_.insert(name.text);
  }
  advance();
  return name;
}

Operation Parser::operation() {
  count(operations_, limits_.operations, "operations");
  Operation operation;
  if (is(Token::Kind::value)) {
    items([&] {
      operation.results.push_back({name(take(Token::Kind::value, "a value such as %0").text), 1});
      if (!accept(":")) return;
      const std::int64_t n = integer();
      if (n < 1 || n > limits_.operations) fail(token_.at, concat("a count of results cannot be ", n));
      operation.results.back().count = n;
    });
    expect("=");
  }
  const bool is_generic = is(Token::Kind::string);
  const Token name = operation_name();
  operation.at = name.at;
  operation.name = name.text;

  const std::string_view outer = std::exchange(operation_, operation.name);
  if (is_generic) {
    generic(operation);
  } else {
    read_pretty(*this, operation);
  }
  operation.location = optional_location();
  operation_ = outer;
  return operation;
}

void Parser::generic(Operation& operation) {
  operation.operands = parenthesised_uses();
  if (accept("<")) {
    dictionary(operation.attributes);
    expect(">");
  }
  if (is("(")) list("(", ")", [&] { operation.regions.push_back(region()); });
  optional_dictionary(operation.attributes);
  expect(":");
  function_type(operation);
}

// ---------------------------------------------------------------------------------------------------------------------
// Modules and functions

SyntaxModule Parser::module() {
  while (!is(Token::Kind::end)) item();
  return std::move(module_);
}

void Parser::item() {
  if (is(Token::Kind::attribute) || is(Token::Kind::type)) return alias();
  if (is("{-#")) return resources();
  if (is("module")) {
    advance();
    if (is(Token::Kind::symbol)) module_.name = symbol_name(take().text);
    if (accept("attributes")) dictionary(module_.attributes);
    return module_body();
  }
  if (is("func.func")) return function();
  if (is(Token::Kind::string) && token_.text == "\"builtin.module\"") return generic_module();
  if (is(Token::Kind::string) && token_.text == "\"func.func\"") return generic_function();
  if (is("sdy.mesh")) return mesh();
  if (is(Token::Kind::string) && token_.text == "\"sdy.mesh\"") return generic_mesh();
  fail_expected("a function or a module");
}

void Parser::module_body() {
  const Nested nested(*this);
  expect("{");
  while (!is("}")) item();
  advance();
  optional_location();
}

void Parser::generic_module() {
  advance();
  expect("(");
  expect(")");
  if (accept("<")) {
    dictionary(module_.attributes);
    expect(">");
  }
  expect("(");
  module_body();
  expect(")");
  optional_dictionary(module_.attributes);
  if (const Attribute* name = find(module_.attributes, "sym_name")) module_.name = name->text;
  expect(":");
  Operation none;
  function_type(none);
  optional_location();
}

// sdy.mesh @mesh = <["x"=2, "y"=4]> {attributes}
void Parser::mesh() {
  advance();
  const std::string_view name = symbol_name(take(Token::Kind::symbol, "a name").text);
  expect("=");
  NamedAttribute& mesh = module_.meshes.emplace_back(NamedAttribute{name, balanced()});
  std::vector<NamedAttribute> more;
  optional_dictionary(more);
  mesh.value.written = source_.text.substr(mesh.value.at, end_ - mesh.value.at);
  optional_location();
}

// "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "mesh"}> : () -> ()
void Parser::generic_mesh() {
  Operation op;
  op.at = take().at;
  generic(op);
  optional_location();
  const Attribute* name = find(op.attributes, "sym_name");
  const Attribute* mesh = find(op.attributes, "mesh");
  if (!name || !mesh) source_.fail(op.at, "sdy.mesh: expected mesh and sym_name");
  module_.meshes.push_back({name->text, *mesh});
}

void Parser::alias() {
  const bool is_type = is(Token::Kind::type);
  const std::string_view name = take().text.substr(1);
  expect("=");
  if (is_type) {
    type_aliases_[name] = type();
  } else {
    module_.aliases.insert_or_assign(name, attribute());
  }
}

// {-# dialect_resources: { builtin: { name: "0x..." } } #-}
void Parser::resources() {
  const auto key = [&] {
    const std::string_view name = is(Token::Kind::string) ? string() : take(Token::Kind::identifier, "a name").text;
    expect(":");
    return name;
  };
  advance();
  if (!is("#-}"))
    items([&] {
      const bool is_data = key() == "dialect_resources";
      list("{", "}", [&] {
        key();
        list("{", "}", [&] {
          const std::string_view name = key();
          const std::string_view value = is(Token::Kind::string) ? string() : take().text;
          if (is_data) module_.resources.insert_or_assign(name, value);
        });
      });
    });
  expect("#-}");
}

void Parser::function() {
  Function function;
  function.at = take().at;
  operation_ = "func.func";
  if (is("private") || is("public") || is("nested")) function.is_private = take().text == "private";
  function.name = symbol_name(take(Token::Kind::symbol, "a name such as @main").text);
  std::vector<Argument> arguments;
  list("(", ")", [&] {
    if (is(Token::Kind::value)) {
      arguments.push_back(argument());
    } else {
      std::vector<NamedAttribute> ignored;
      type();
      optional_dictionary(ignored);
    }
  });
  if (accept("->")) function_results(function);
  if (accept("attributes")) dictionary(function.attributes);
  if (is("{")) {
    function.has_body = true;
    function.body = region(std::move(arguments));
  }
  optional_location();
  operation_ = {};
  add(std::move(function));
}

void Parser::function_results(Function& function) {
  if (!is("(")) {
    function.results.push_back(type());
    return;
  }
  list("(", ")", [&] {
    function.results.push_back(type());
    optional_dictionary(function.result_attributes.emplace_back());
  });
}

void Parser::generic_function() { add(function_of(operation(), source_)); }

void Parser::add(Function function) {
  if (function.has_body && !function.body.captures.empty()) {
    const Use& use = function.body.captures[0];
    source_.fail(use.at, concat("func.func @", function.name, ": ", use.name, " is not defined"));
  }
  module_.functions.push_back(std::move(function));
}

}  // namespace weft::ir::text
