#include <weft/ir/bytecode/module_reader.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include <weft/ir/bytecode/vhlo_defaults.h>
#include <weft/ir/text/lower.h>

namespace weft::ir::bytecode {

namespace {

// Returns for how many items of a list memory is taken before they are read: no more than a small file could make useless.
std::size_t reserved(std::size_t count) { return std::min(count, std::size_t{256}); }

constexpr std::string_view conversion_cast = "builtin.unrealized_conversion_cast";
constexpr int depth_of_bodies = 2;  // of functions: the module's region is the first one around an operation

}  // namespace

ModuleReader::ModuleReader(const text::Source& source, const Container& container, const ParseLimits& limits)
    : source_(source),
      container_(container),
      limits_(limits),
      types_(source, container, limits),
      attributes_(source, container, limits, types_),
      locations_(source, container, limits.depth),
      kinds_(container.operations.size()) {}

std::string ModuleReader::place(std::size_t at) const {
  const auto found = std::ranges::lower_bound(places_, at, {}, &decltype(places_)::value_type::first);
  const bool is_known = found != places_.end() && found->first == at && *found->second->file;
  return is_known ? concat("byte ", at, " (", found->second->file, ':', found->second->line, ')') : concat("byte ", at);
}

text::SyntaxModule ModuleReader::read() {
  top_level({source_, container_.ir.at, container_.ir.end});
  return std::move(module_);
}

OperationKind& ModuleReader::kind(std::size_t index) {
  std::optional<OperationKind>& kind = kinds_[index];
  const OperationName& name = container_.operations[index];
  if (!kind) kind = operation_kind(container_.dialects[name.dialect], name.name);
  return *kind;
}

template <class Step>
void ModuleReader::attempt(Step&& step) {
  if (refusal_) return;
  try {
    step();
  } catch (const UnsupportedError& wrong) {
    if (!is_in_function_) throw;
    refusal_ = wrong;
  }
}

// The file is one block without arguments, which holds the module.
void ModuleReader::top_level(ByteReader in) {
  const auto [operations, has_arguments] = in.flagged();
  if (has_arguments || operations != 1) in.fail("expected one module");
  Scope scope;
  text::Operation module;
  operation(in, scope, module);
  if (module.name != "builtin.module" || module.regions.size() != 1) in.fail("expected one builtin.module");
  if (!in.is_at_end()) in.fail("more bytes follow the module");
  module_attributes(module);
}

void ModuleReader::module_attributes(const text::Operation& module) {
  for (const NamedAttribute& attribute : module.attributes)
    if (attribute.name == "sym_name")
      module_.name = attribute.value.text;
    else
      module_.attributes.push_back(attribute);
}

text::WrittenType ModuleReader::type(std::uint64_t index, const ByteReader& in, const Owner& owner) {
  in.checked_index(index, container_.types.size(), "type");
  text::WrittenType type(Type(DType::token, {}));  // in a function that is refused
  attempt([&] { type = types_.value_type(index, owner); });
  module_.has_complex = module_.has_complex || type.is_complex;
  return type;
}

void ModuleReader::define(ByteReader& in, Scope& scope, Value value) {
  if (scope.empty() || scope.back().defined.size() == scope.back().count)
    in.fail("a region defines more values than it says");
  scope.back().defined.push_back(value);
}

const ModuleReader::Value& ModuleReader::value(ByteReader& in, const Scope& scope) const {
  const std::uint64_t number = in.number();
  for (auto values = scope.rbegin(); values != scope.rend(); ++values)
    if (number >= values->first && number - values->first < values->defined.size())
      return values->defined[number - values->first];
  in.fail(concat("value ", number, " is used before it is defined"));
}

text::Name ModuleReader::new_name(const Scope& scope) {
  const std::size_t number = scope.empty() ? 0 : scope.back().first + scope.back().defined.size();
  KeptName& name = names_.emplace_back();
  name.characters[0] = '%';
  char* const end = std::to_chars(name.characters.begin() + 1, name.characters.end(), number).ptr;
  name.text = {name.characters.begin(), end};
  return text::Name(&name.text);
}

void ModuleReader::require_known(OperationKind& kind, std::size_t at) {
  const bool is_read_here = kind.name == "builtin.module" || kind.name == "sdy.mesh" || kind.name == conversion_cast;
  if (!is_read_here) text::require_known(source_, at, kind.name, concat('\'', kind.name, '\''));
  kind.is_known = true;
}

// Reads an operation into one that is empty.
void ModuleReader::operation(ByteReader& in, Scope& scope, text::Operation& op) {
  if (++operations_ > limits_.operations) in.fail(concat("more than ", limits_.operations, " operations"));
  op.at = in.at();
  OperationKind& kind = this->kind(in.index(container_.operations.size(), "operation name"));
  op.name = kind.name;
  const std::uint8_t mask = in.byte();
  op.place = locations_.decode(in.number());
  places_.emplace_back(op.at, op.place);
  if (!kind.is_known) attempt([&] { require_known(kind, op.at); });
  const bool was_in_function = is_in_function_;
  is_in_function_ = was_in_function || op.name == "func.func";
  attributes(in, mask, kind, op);
  if (op.name == conversion_cast) {
    cast(in, mask, scope, op.at);
    return;
  }
  if (mask & has_results) results(in, scope, op);
  if (mask & has_operands) operands(in, scope, op);
  if (mask & has_successors) in.fail(concat(op.name, ": has successors, which StableHLO does not have"));
  if (mask & has_use_lists) skip_use_list_orders(in, op.result_types.size());
  if (mask & has_regions) regions(in, scope, op);
  is_in_function_ = was_in_function;
}

void ModuleReader::attributes(ByteReader& in, std::uint8_t mask, OperationKind& kind, text::Operation& op) {
  if (mask & has_attributes) {
    const std::size_t index = in.number();
    attempt([&] {
      Attribute dictionary = attributes_.decode(index, {op.at, op.name});
      if (dictionary.kind != Attribute::Kind::dictionary) in.fail(concat(op.name, ": expected a dictionary"));
      op.attributes = std::move(dictionary.fields);
      std::erase_if(op.attributes, is_left_out);
    });
  }
  if (mask & has_property) {
    const Extent& extent = container_.properties[in.index(container_.properties.size(), "property")];
    attempt([&] { properties(extent, kind, op); });
    if (mask & has_attributes) attributes_.require_distinct(op.attributes, {op.at, op.name});
  }
  to_stablehlo(kind, op.attributes);
}

void ModuleReader::properties(const Extent& extent, OperationKind& kind, text::Operation& op) {
  ByteReader values(source_, extent.at, extent.end);
  const std::size_t before = op.attributes.size();
  op.attributes.reserve(before + kind.last_attributes);
  for (KnownProperty& property : kind.properties) {
    if (!property.is_optional) {
      append_property(property, values.number(), op);
    } else if (!values.is_at_end()) {
      const auto [index, is_given] = values.flagged();
      if (is_given) op.attributes.push_back({property.name, attributes_.decode(index, {op.at, op.name})});
    }
  }
  if (!values.is_at_end())
    source_.fail_unsupported(op.at, concat(op.name, ": has attributes that are not known here"), op.name);
  kind.last_attributes = op.attributes.size() - before;
}

// Most properties have their default, which is one attribute for all operations, so it is decoded once.
void ModuleReader::append_property(KnownProperty& property, std::size_t index, text::Operation& op) {
  if (property.left_out == index) return;
  const std::size_t before = op.attributes.size();
  attributes_.append(property.name, index, {op.at, op.name}, op.attributes);
  if (property.can_be_left_out && op.attributes.size() > before && is_left_out(op.attributes.back()))
    op.attributes.pop_back();
  if (op.attributes.size() == before) property.left_out = index;
}

void ModuleReader::results(ByteReader& in, Scope& scope, text::Operation& op) {
  const std::size_t count = in.count("results");
  if (count == 0) return;
  const text::Name name = new_name(scope);
  op.result_types.reserve(reserved(count));
  op.results.push_back({name, static_cast<std::uint32_t>(count)});
  for (std::size_t i = 0; i < count; ++i) {
    op.result_types.push_back(type(in.number(), in, {op.at, op.name}));
    define(in, scope, {{name, static_cast<std::uint32_t>(i), op.at}, op.result_types.back()});
  }
}

void ModuleReader::operands(ByteReader& in, const Scope& scope, text::Operation& op) {
  const std::size_t count = in.count("operands");
  op.operands.reserve(reserved(count));
  op.operand_types.reserve(reserved(count));
  for (std::size_t i = 0; i < count; ++i) {
    const Value& value = this->value(in, scope);
    op.operands.push_back(value.use);
    op.operands.back().at = op.at;
    op.operand_types.push_back(value.type);
  }
}

// Casts between the types of two dialects change nothing: their results are other names of their operands.
void ModuleReader::cast(ByteReader& in, std::uint8_t mask, Scope& scope, std::size_t at) {
  std::vector<text::WrittenType> types(mask & has_results ? in.count("results") : 0);
  for (text::WrittenType& type : types) type = this->type(in.number(), in, {at, conversion_cast});
  text::Operation operands;
  operands.at = at;
  operands.name = conversion_cast;
  if (mask & has_operands) this->operands(in, scope, operands);
  const bool changes =
      !refusal_ && !std::ranges::equal(operands.operand_types, types);  // unsupported types are not known here
  if (changes || operands.operand_types.size() != types.size() || (mask & (has_successors | has_regions)))
    in.fail(concat(conversion_cast, ": changes a type"));
  if (mask & has_use_lists) skip_use_list_orders(in, types.size());
  for (std::size_t i = 0; i < types.size(); ++i) define(in, scope, {operands.operands[i], types[i]});
}

// The order in which MLIR keeps the uses of a value means nothing here.
void ModuleReader::skip_use_list_orders(ByteReader& in, std::size_t values) {
  const std::uint64_t lists = values > 1 ? in.count("use lists") : 1;
  for (std::uint64_t i = 0; i < lists; ++i) {
    if (values > 1) in.number();
    const std::size_t uses = in.checked_count(in.flagged().number, "uses");
    for (std::size_t j = 0; j < uses; ++j) in.number();
  }
}

void ModuleReader::regions(ByteReader& in, Scope& scope, text::Operation& op) {
  const auto [number, is_isolated] = in.flagged();
  const std::size_t count = in.checked_count(number, "regions");
  if (++depth_ > limits_.depth) in.fail(concat("nested more than ", limits_.depth, " deep"));
  const bool is_section = is_isolated && count > 0 && container_.version >= has_isolated_sections;
  ByteReader section = in;
  if (is_section) {
    const auto [id, data] = in.section();
    if (id != SectionId::ir) in.fail("expected a section of operations");
    section = data;
  }
  ByteReader& from = is_section ? section : in;
  Scope isolated;
  for (std::size_t i = 0; i < count; ++i) op.regions.push_back(region(from, is_isolated ? isolated : scope, op.name));
  if (is_section && !from.is_at_end()) from.fail("more bytes follow the regions of an operation");
  --depth_;
}

text::Region ModuleReader::region(ByteReader& in, Scope& scope, std::string_view owner) {
  text::Region region;
  region.at = in.at();
  const std::uint64_t blocks = in.number();
  if (blocks == 0) return region;
  if (blocks != 1) in.fail("a region has one block here");
  scope.push_back({.first = scope.empty() ? 0 : scope.back().end(), .count = in.count("values")});
  const auto [operations, has_arguments] = in.flagged();
  if (has_arguments) arguments(in, scope, region, owner);
  constexpr std::size_t bytes_of_operation = 3;
  const std::size_t count = in.checked_count(operations, "operations", bytes_of_operation);
  constexpr std::size_t usual_bytes_of_operation = 12;
  const std::size_t expected = std::min(count, in.left() / usual_bytes_of_operation);
  region.operations.reserve(depth_ <= depth_of_bodies ? std::max(reserved(count), expected) : reserved(count));
  for (std::size_t i = 0; i < count; ++i) {
    text::Operation& op = region.operations.emplace_back();
    operation(in, scope, op);
    if (!is_in_function_) add(std::move(op));
    if (!is_in_function_ || op.name == conversion_cast) region.operations.pop_back();
  }
  scope.pop_back();
  if (!scope.empty()) region.captures = text::captures_of(region);  // an isolated region cannot use values from outside
  return region;
}

void ModuleReader::arguments(ByteReader& in, Scope& scope, text::Region& region, std::string_view owner) {
  const std::size_t count = in.count("arguments");
  for (std::size_t i = 0; i < count; ++i) {
    const text::Name name = new_name(scope);
    const auto [index, has_location] =
        container_.version < omits_unknown_locations ? ByteReader::Flagged{in.number(), true} : in.flagged();
    const text::WrittenType type = this->type(index, in, {region.at, owner});
    const Location* place = nullptr;
    if (has_location) place = locations_.decode(in.number());
    region.arguments.push_back({.name = name, .type = type, .at = region.at, .place = place});
    define(in, scope, {{name, 0, region.at}, type});
  }
  if (container_.version >= has_use_list_orders && in.byte() != 0) skip_use_list_orders(in, count);
}

// Adds an operation of the module.
void ModuleReader::add(text::Operation op) {
  if (op.name == "sdy.mesh") {
    const Attribute *name = text::find(op.attributes, "sym_name"), *mesh = text::find(op.attributes, "mesh");
    if (!name || !mesh) source_.fail(op.at, "sdy.mesh: expected mesh and sym_name");
    attributes_.add_mesh(name->text, mesh->written);
    module_.meshes.push_back({name->text, *mesh});
    return;
  }
  if (op.name != "func.func") source_.fail(op.at, concat(op.name, ": expected a function"));
  text::Function function = text::function_of(std::move(op), source_);
  function.refusal = std::exchange(refusal_, std::nullopt);
  module_.functions.push_back(std::move(function));
}

}  // namespace weft::ir::bytecode
