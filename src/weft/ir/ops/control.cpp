// Type rules of control ops.
#include <weft/ir/ops/control.h>

#include <algorithm>

#include <weft/ir/ops/rules.h>

namespace weft::ir {

namespace {

// Requires that all regions take the captures (all operands except the first) and return the same types, which are the result types.
void branch_types(const Call& call, std::vector<Type>& results) {
  results = types_of(call.regions[0]->outputs());
  const std::vector<Type> captures = types_of(call.operands.subspan(1));
  for (std::size_t i = 0; i < call.regions.size(); ++i) require_region(call, i, captures, results);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name_character(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; }

// Returns whether the name has the form namespace.name; more names may follow, and $ may appear after the first dot.
bool is_namespaced(std::string_view name) {
  const auto dot = name.find('.');
  if (dot == name.npos || !is_letter(name[0]) || name.ends_with('.') || name.find("..") != name.npos) return false;
  return std::ranges::all_of(name.substr(0, dot), is_name_character) &&
         std::ranges::all_of(name.substr(dot), [](char c) { return is_name_character(c) || c == '.' || c == '$'; });
}

}  // namespace

void while_type(const Call& call, std::vector<Type>& results) {
  results = types_of(call.operands);
  const Type boolean_type(DType::boolean, {});
  require_region(call, 0, results, std::span(&boolean_type, 1));
  require_region(call, 1, results, results);
}

void if_type(const Call& call, std::vector<Type>& results) {
  call.require(!call.operands.empty() && call.type(0) == Type(DType::boolean, {}),
               "expected a predicate tensor<i1> as first operand");
  branch_types(call, results);
}

void case_type(const Call& call, std::vector<Type>& results) {
  call.require(!call.operands.empty() && call.type(0) == Type(DType::i32, {}),
               "expected an index tensor<i32> as first operand");
  call.require(!call.regions.empty(), "expected at least one branch");
  branch_types(call, results);
}

void composite_type(const Call& call, std::vector<Type>& results) {
  const std::string_view name = call.attributes<CompositeAttributes>().name;
  call.require(is_namespaced(name), "the name must be of the form namespace.name, in letters, digits and _, got \"",
               name, '"');
  results = types_of(call.regions[0]->outputs());
  require_region(call, 0, types_of(call.operands), results);
}

}  // namespace weft::ir
