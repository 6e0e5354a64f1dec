#include <weft/ir/legalize/written.h>

#include <ostream>

#include <weft/ir/boundary.h>

namespace weft::ir::legalize {

std::ostream& operator<<(std::ostream& out, WrittenType type) {
  if (!type.is_complex) return out << type.part;
  print_complex_type(out, type.part);
  return out;
}

std::vector<Type> flattened(std::span<const WrittenType> types) {
  std::vector<Type> parts;
  parts.reserve(types.size());
  for (const WrittenType type : types) parts.insert(parts.end(), type.is_complex ? 2 : 1, type.part);
  return parts;
}

std::vector<Value> flattened(std::span<const WrittenValue> values) {
  std::vector<Value> parts;
  parts.reserve(values.size());
  for (const WrittenValue& v : values) {
    parts.push_back(v.re);
    if (v.is_complex()) parts.push_back(v.im);
  }
  return parts;
}

WrittenValues grouped(std::span<const Value> values, std::span<const WrittenType> types) {
  WrittenValues result;
  std::size_t at = 0;
  for (const WrittenType type : types) {
    const std::size_t parts = type.is_complex ? 2 : 1;
    require(at + parts <= values.size() && values[at].type() == type.part, "has no result of type ", type);
    result.push_back({values[at], type.is_complex ? values[at + 1] : Value()});
    at += parts;
  }
  require(at == values.size(), "has more results than the ", types.size(), " that are declared");
  return result;
}

std::vector<Value> half(std::span<const WrittenValue> values, bool imaginary) {
  std::vector<Value> parts;
  parts.reserve(values.size());
  for (const WrittenValue& v : values) parts.push_back(imaginary && v.is_complex() ? v.im : v.re);
  return parts;
}

}  // namespace weft::ir::legalize
