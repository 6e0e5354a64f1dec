#include <weft/ir/text/syntax.h>

#include <variant>

#include <weft/ir/text/use_map.h>

namespace weft::ir::text {

const Attribute* find(const std::vector<NamedAttribute>& attributes, std::string_view name) {
  for (const NamedAttribute& a : attributes)
    if (a.name == name) return &a.value;
  return nullptr;
}

std::vector<Use> captures_of(const Region& region) {
  UseMap<std::monostate> defined, seen;
  std::vector<Use> captures;
  const auto define = [&](Name name) { defined.add({name}, {}); };
  const auto use = [&](const Use& u) {
    if (!defined.contains({u.name}) && seen.add(u, {})) captures.push_back(u);
  };
  for (const Argument& a : region.arguments) define(a.name);
  for (const Operation& op : region.operations) {
    for (const Use& u : op.operands) use(u);
    for (const Region& inner : op.regions)
      for (const Use& u : inner.captures) use(u);
    for (const Results& r : op.results) define(r.name);
  }
  return captures;
}

Function function_of(Operation op, const Source& source) {
  const Attribute* name = find(op.attributes, "sym_name");
  const Attribute* visibility = find(op.attributes, "sym_visibility");
  if (!name || name->kind != Attribute::Kind::string) source.fail(op.at, "func.func: expected sym_name = \"name\"");
  if (op.regions.size() != 1) source.fail(op.at, "func.func: expected one region");
  Function function;
  function.name = name->text;
  function.at = op.at;
  function.is_private = visibility && visibility->text == "private";
  function.has_body = !op.regions[0].operations.empty();
  function.body = std::move(op.regions[0]);
  // arg_attrs = [{...}, {}], res_attrs = [{...}]
  const auto fields = [&](std::string_view list, std::size_t i) {
    const Attribute* all = find(op.attributes, list);
    return all && i < all->items.size() ? all->items[i].fields : std::vector<NamedAttribute>();
  };
  for (std::size_t i = 0; i < function.body.arguments.size(); ++i)
    function.body.arguments[i].attributes = fields("arg_attrs", i);
  if (function.has_body) function.results = function.body.operations.back().operand_types;
  for (std::size_t i = 0; i < function.results.size(); ++i)
    function.result_attributes.push_back(fields("res_attrs", i));
  function.attributes = std::move(op.attributes);
  return function;
}

}  // namespace weft::ir::text
