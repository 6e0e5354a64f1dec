#include <weft/jit/guard_text.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace weft::jit {

std::string characters_of(const Leaf& leaf) {
  const auto characters = std::bit_cast<std::array<char, sizeof leaf.bits>>(leaf.bits);
  return {characters.begin(), std::ranges::find(characters, '\0')};
}

std::string layout_text(runtime::LayoutId layout) { return layout ? ' ' + layout->text() : ""; }

namespace {

std::string describe_value(const Leaf& leaf) {
  switch (leaf.value_kind) {
    case ValueKind::boolean: return leaf.bits != 0 ? "true" : "false";
    case ValueKind::signed_integer: return concat(static_cast<std::int64_t>(leaf.bits));
    case ValueKind::unsigned_integer: return concat(leaf.bits);
    case ValueKind::f32: return concat(std::bit_cast<float>(static_cast<std::uint32_t>(leaf.bits)));
    case ValueKind::f64: return concat(std::bit_cast<double>(leaf.bits));
    case ValueKind::enumerator: return concat("enumerator ", leaf.bits);
    case ValueKind::text: return concat('"', characters_of(leaf), '"');
  }
  return {};
}

}  // namespace

std::string describe(const Leaf& leaf) {
  switch (leaf.kind) {
    case Leaf::Kind::tensor: return leaf.type ? concat(leaf.type, layout_text(leaf.layout)) : "undefined";
    case Leaf::Kind::object:
      return leaf.type ? concat("a parameter, ", leaf.type, layout_text(leaf.layout)) : "a Scalar of a struct";
    case Leaf::Kind::scalar: return "a Scalar";
    case Leaf::Kind::size: return concat(leaf.bits, " elements");
    case Leaf::Kind::value: return describe_value(leaf);
  }
  return {};
}

std::string number_text(const ValueGuard& guard, std::uint64_t bits) {
  if (guard.bytes == 1) return bits != 0 ? "true" : "false";
  double number = 0;
  std::memcpy(&number, &bits, sizeof number);
  return concat(number);
}

std::string name_of(const ValueGuard& guard) {
  return guard.name ? guard.name : guard.bytes == 1 ? "a Flag" : "a Scalar";
}

std::string owner_of(const ValueGuard& guard, const Specialization& s) {
  if (!s.is_alive()) return guard.module;
  for (const ParameterGuard& of : s.parameters)
    if (&of.parameter->requires_grad == guard.value) return std::string(of.parameter->name());
  return guard.module;
}

namespace {

std::string finding_text(Finding finding, const Specialization& s) {
  switch (finding.kind) {
    case Finding::Kind::argument: return concat("argument ", s.paths[finding.index]);
    case Finding::Kind::parameter: {
      const std::string_view name = s.parameters[finding.index].parameter->name();
      return name.empty() ? "what a parameter holds" : concat("what parameter ", name, " holds");
    }
    case Finding::Kind::captured: return "a captured tensor";
  }
  return {};
}

}  // namespace

std::string alias_text(const Alias& alias, const Specialization& s) {
  return concat(finding_text(alias.first, s), " and ", finding_text(alias.again, s));
}

}  // namespace weft::jit
