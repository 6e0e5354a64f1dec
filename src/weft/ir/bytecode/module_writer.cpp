#include <weft/ir/bytecode/module_writer.h>

#include <algorithm>
#include <utility>

#include <weft/ir/bytecode/sdy_codes.h>

namespace weft::ir::bytecode {

namespace {

using text::Operation;

bool is_of_shardy(const Operation& op) { return op.name.starts_with("sdy."); }

// Returns how many casts belong to an operation of Shardy: one for each of its operands and results.
std::size_t casts(const Operation& op) { return is_of_shardy(op) ? op.operands.size() + op.result_types.size() : 0; }

// The last form of the container that every reader of this version of StableHLO reads.
ContainerVersion container_version(StablehloVersion target) {
  if (target < StablehloVersion{0, 10}) return has_no_versions;
  if (target < StablehloVersion{0, 12}) return has_dialect_versions;
  if (target < StablehloVersion{0, 14}) return has_use_list_orders;
  if (target < StablehloVersion{0, 15}) return omits_unknown_locations;
  return newest_container;
}

}  // namespace

ModuleWriter::ModuleWriter(const text::Source& source, const text::SyntaxModule& module, StablehloVersion target,
                           int max_depth, bool writes_locations)
    : module_(module),
      context_{source, target, ContainerWriter(container_version(target))},
      locations_(source, module, max_depth),
      types_(context_),
      attributes_(context_, types_),
      writes_locations_(writes_locations) {}

std::string ModuleWriter::write() {
  context_.operation = "module";
  Encoded module{.dialect = "builtin", .name = "module", .regions = 1, .is_isolated = true};
  if (!module_.name.empty()) {
    const std::string name = text::unescape(module_.name);
    module.properties = {{"sym_name", attributes_.string(name, Dialect::builtin)}};
  }
  for (const NamedAttribute& attribute : module_.attributes)
    module.others.push_back({attribute.name, attributes_.encode(attribute.value, Dialect::builtin)});
  module.region_bytes = module_region();
  ByteWriter file;
  file.flagged(1, false);  // a block of one operation, without arguments
  emit(file, module);
  return context_.container.finish(concat("StableHLO_v", context_.target, ".0"), file);
}

ByteWriter ModuleWriter::module_region() {
  frames_.push_back({0, 0, 0});
  ByteWriter out;
  out.number(1).number(0).flagged(module_.meshes.size() + module_.functions.size(), false);
  for (const NamedAttribute& mesh : module_.meshes) this->mesh(out, mesh);
  for (const text::Function& function : module_.functions) this->function(out, function);
  frames_.pop_back();
  return out;
}

void ModuleWriter::mesh(ByteWriter& out, const NamedAttribute& mesh) {
  context_.operation = "sdy.mesh";
  Attribute value;
  value.kind = Attribute::Kind::opaque;
  const std::string written = concat(mesh.value.written.starts_with('<') ? sdy_mesh_name : "", mesh.value.written);
  value.written = written;
  Encoded op{.dialect = "sdy", .name = "mesh"};
  op.properties = {{"mesh", attributes_.encode(value, Dialect::builtin)},
                   {"sym_name", attributes_.string(text::unescape(mesh.name), Dialect::builtin)}};
  emit(out, op);
}

// Returns the attributes of all arguments or results: a dictionary for each, or nothing if none has any.
NamedAttribute ModuleWriter::port_attributes(std::string_view name,
                                             const std::vector<std::vector<NamedAttribute>>& ports) const {
  NamedAttribute result{name, {}};
  result.value.kind = Attribute::Kind::list;
  if (std::ranges::all_of(ports, &std::vector<NamedAttribute>::empty)) return result;
  for (const std::vector<NamedAttribute>& fields : ports) {
    Attribute& port = result.value.items.emplace_back();
    port.kind = Attribute::Kind::dictionary;
    port.fields = fields;
  }
  return result;
}

void ModuleWriter::function(ByteWriter& out, const text::Function& function) {
  const auto word = [](std::string_view text) {
    Attribute result;
    result.kind = Attribute::Kind::string;
    result.text = text;
    return result;
  };
  context_.operation = concat("func.func @", function.name);
  context_.location = {};
  std::vector<text::WrittenType> arguments;
  std::vector<std::vector<NamedAttribute>> argument_attributes;
  for (const text::Argument& argument : function.body.arguments) {
    arguments.push_back(argument.type);
    argument_attributes.push_back(argument.attributes);
  }
  Operation op;
  op.name = "func.func";
  op.attributes = function.attributes;
  op.attributes.push_back({"sym_name", word(function.name)});
  op.attributes.push_back({"sym_visibility", word(function.is_private ? "private" : "public")});
  op.attributes.push_back(port_attributes("arg_attrs", argument_attributes));
  op.attributes.push_back(port_attributes("res_attrs", function.result_attributes));
  op.attributes.push_back({"function_type", word({})});
  const VhloOperation vhlo = to_vhlo(op, context_);
  Encoded encoded{.dialect = "vhlo", .name = vhlo.form->name.substr(vhlo.form->name.find('.') + 1), .regions = 1};
  for (const NamedAttribute& attribute : vhlo.properties) {
    const bool is_type = attribute.name == "function_type";
    encoded.properties.push_back({attribute.name, is_type ? attributes_.function_type(arguments, function.results)
                                                          : attributes_.encode(attribute)});
  }
  for (const NamedAttribute& attribute : vhlo.others)
    encoded.others.push_back({attribute.name, attributes_.encode(attribute)});
  encoded.region_bytes = region(function.body, Dialect::vhlo, false);
  emit(out, encoded);
}

std::uint64_t ModuleWriter::value(const text::Use& use) const {
  const auto found = values_.find(use);
  WEFT_ASSERT(found != values_.end(), "the text uses ", use.name, ", which it does not define");
  return found->second;
}

std::uint64_t ModuleWriter::define(const text::Use& use) {
  const std::uint64_t number = new_value();
  values_.insert_or_assign(use, number);
  frames_.back().defined.push_back(use);
  return number;
}

void ModuleWriter::operation(ByteWriter& out, const Operation& op) {
  context_.operation = op.name;
  context_.location = locations_.of(op);
  is_of_shardy(op) ? sdy_operation(out, op) : vhlo_operation(out, op);
}

namespace {

// Returns the names of the results, one for each value.
std::vector<text::Use> uses_of_results(const Operation& op) {
  std::vector<text::Use> uses;
  for (const text::Results& results : op.results)
    for (std::uint32_t i = 0; i < results.count; ++i) uses.push_back({results.name, i});
  return uses;
}

}  // namespace

void ModuleWriter::vhlo_operation(ByteWriter& out, const Operation& op) {
  const VhloOperation vhlo = to_vhlo(op, context_);
  Encoded encoded{.dialect = "vhlo", .name = vhlo.form->name.substr(vhlo.form->name.find('.') + 1)};
  encoded.location = context_.location;
  for (const NamedAttribute& attribute : vhlo.properties)
    encoded.properties.push_back({attribute.name, attributes_.encode(attribute)});
  for (const NamedAttribute& attribute : vhlo.others)
    encoded.others.push_back({attribute.name, attributes_.encode(attribute)});
  for (const text::WrittenType& type : op.result_types)
    encoded.result_types.push_back(types_.value(type, Dialect::vhlo));
  for (const text::Use& use : op.operands) encoded.operands.push_back(value(use));
  for (const text::Use& use : uses_of_results(op)) define(use);
  regions(op, Dialect::vhlo, encoded);
  emit(out, encoded);
}

std::uint64_t ModuleWriter::cast(ByteWriter& out, std::uint64_t value, const text::WrittenType& type, Dialect to) {
  Encoded encoded{.dialect = "builtin", .name = "unrealized_conversion_cast", .location = context_.location};
  encoded.result_types = {types_.value(type, to)};
  encoded.operands = {value};
  emit(out, encoded);
  return new_value();
}

void ModuleWriter::sdy_operation(ByteWriter& out, const Operation& op) {
  Encoded encoded{.dialect = "sdy", .name = op.name.substr(op.name.find('.') + 1), .location = context_.location};
  for (std::size_t i = 0; i < op.operands.size(); ++i)
    encoded.operands.push_back(cast(out, value(op.operands[i]), op.operand_types[i], Dialect::builtin));
  for (const NamedAttribute& attribute : op.attributes) {
    const bool is_property = attribute.name.find('.') == attribute.name.npos;
    auto& list = is_property ? encoded.properties : encoded.others;
    list.push_back({attribute.name, attributes_.encode(attribute.value, Dialect::builtin)});
  }
  std::vector<std::uint64_t> results;
  for (const text::WrittenType& type : op.result_types) {
    encoded.result_types.push_back(types_.value(type, Dialect::builtin));
    results.push_back(new_value());
  }
  encoded.is_isolated = !op.regions.empty();
  regions(op, Dialect::builtin, encoded);
  emit(out, encoded);
  const std::vector<text::Use> uses = uses_of_results(op);
  for (std::size_t i = 0; i < results.size(); ++i) {
    values_.insert_or_assign(uses[i], cast(out, results[i], op.result_types[i], Dialect::vhlo));
    frames_.back().defined.push_back(uses[i]);
  }
}

void ModuleWriter::regions(const Operation& op, Dialect dialect, Encoded& into) {
  const Location outer = context_.location;
  into.regions = op.regions.size();
  for (const text::Region& region : op.regions)
    into.region_bytes.bytes(this->region(region, dialect, into.is_isolated).written());
  context_.location = outer;
}

ByteWriter ModuleWriter::region(const text::Region& region, Dialect arguments, bool is_isolated) {
  const std::size_t given = region.arguments.size(), argument_casts = arguments == Dialect::builtin ? given : 0;
  std::size_t values = given + argument_casts, operations = argument_casts;
  for (const Operation& op : region.operations) {
    values += op.result_types.size() + casts(op);
    operations += 1 + casts(op);
  }
  const std::uint64_t first = is_isolated ? 0 : frames_.back().first + frames_.back().values;
  frames_.push_back({first, values, first});
  ByteWriter out;
  out.number(1).number(values).flagged(operations, given > 0);
  if (given > 0) out.number(given);
  const ContainerVersion version = context_.container.version();
  for (const text::Argument& argument : region.arguments) {
    const std::uint64_t type = types_.value(argument.type, arguments), place = location(locations_.of(argument));
    version >= omits_unknown_locations ? out.flagged(type, true) : out.number(type);
    out.number(place);
    define({argument.name, argument.index});
  }
  if (given > 0 && version >= has_use_list_orders) out.byte(0);
  if (argument_casts > 0)
    for (const text::Argument& argument : region.arguments) {
      const text::Use use{argument.name, argument.index};
      values_[use] = cast(out, value(use), argument.type, Dialect::vhlo);
    }
  for (const Operation& op : region.operations) operation(out, op);
  for (const text::Use& use : frames_.back().defined) values_.erase(use);
  frames_.pop_back();
  return out;
}

void ModuleWriter::emit(ByteWriter& out, const Encoded& op) {
  const ContainerVersion version = context_.container.version();
  std::vector<Named> attributes = op.others;
  ByteWriter properties;
  if (version < has_properties) {
    attributes.insert(attributes.end(), op.properties.begin(), op.properties.end());
  } else {
    write_properties(properties, concat(op.dialect, '.', op.name), op.properties);
  }
  const bool has_property_bytes = !properties.written().empty();
  const int mask = (attributes.empty() ? 0 : has_attributes) | (op.result_types.empty() ? 0 : has_results) |
                   (op.operands.empty() ? 0 : has_operands) | (op.regions == 0 ? 0 : has_regions) |
                   (has_property_bytes ? has_property : 0);
  out.number(context_.container.operation(op.dialect, op.name)).byte(static_cast<std::uint8_t>(mask));
  out.number(location(op.location));
  if (!attributes.empty()) out.number(attributes_.dictionary(std::move(attributes)));
  if (has_property_bytes) out.number(context_.container.properties(std::move(properties)));
  if (!op.result_types.empty()) out.numbers(op.result_types);
  if (!op.operands.empty()) out.numbers(op.operands);
  if (op.regions == 0) return;
  out.flagged(op.regions, op.is_isolated);
  if (op.is_isolated && version >= has_isolated_sections)
    out.section(SectionId::ir, op.region_bytes);
  else
    out.bytes(op.region_bytes.written());
}

// Properties are encoded in the order of the operation's form, without their names.
void ModuleWriter::write_properties(ByteWriter& out, const std::string& name, const std::vector<Named>& given) {
  const OperationForm* form = find_form(name);
  if (!form) return;
  for (const Property& property : properties_of(*form)) {
    const auto found = std::ranges::find(given, property.name, &Named::name);
    WEFT_ASSERT(property.is_optional || found != given.end(), name, " lacks ", property.name);
    if (!property.is_optional)
      out.number(found->attribute);
    else if (found == given.end())
      out.number(0);
    else
      out.flagged(found->attribute, true);
  }
}

}  // namespace weft::ir::bytecode
