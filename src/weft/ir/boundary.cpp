#include <weft/ir/boundary.h>

#include <algorithm>
#include <ostream>

namespace weft::ir {

Annotation complex_part(bool imaginary) { return {"weft.complex", imaginary ? "\"imag\"" : "\"real\""}; }

void print_complex_type(std::ostream& out, Type part) {
  out << "tensor<";
  for (const Dim dim : part.dims()) out << dim << 'x';
  out << "complex<" << part.dtype() << ">>";
}

std::ostream& operator<<(std::ostream& out, const Port& port) {
  if (!port.is_complex) return out << port.part;
  print_complex_type(out, port.part);
  return out;
}

namespace {

std::vector<Port> ports(std::span<const Value> values, const std::vector<Annotations>& said) {
  const auto is_part = [&](std::size_t i, bool imaginary) {
    return i < values.size() && i < said.size() && std::ranges::count(said[i], complex_part(imaginary)) == 1;
  };
  std::vector<Port> result;
  for (std::size_t i = 0; i < values.size(); i += result.back().count()) {
    const bool is_pair = is_part(i, false) && is_part(i + 1, true) && values[i].type() == values[i + 1].type();
    result.push_back({i, values[i].type(), is_pair});
  }
  return result;
}

}  // namespace

std::vector<Port> input_ports(const Graph& function) {
  return ports(function.inputs(), function.annotations ? function.annotations->arguments : std::vector<Annotations>());
}

std::vector<Port> output_ports(const Graph& function) {
  return ports(function.outputs(), function.annotations ? function.annotations->results : std::vector<Annotations>());
}

}  // namespace weft::ir
