// The arguments and results of a function as its text had them: a complex one is two of the graph, its real part and behind it the
// imaginary one, which annotations mark (docs/design/complex.md).
#pragma once

#include <cstddef>
#include <iosfwd>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir {

// What marks the parts: weft.complex = "real", weft.complex = "imag".
Annotation complex_part(bool imaginary);

struct Port {
  std::size_t first = 0;  // of the inputs or outputs
  Type part;              // the type of the value, or of either part
  bool is_complex = false;

  std::size_t count() const { return is_complex ? 2 : 1; }
  friend std::ostream& operator<<(std::ostream& out, const Port& port);  // its type: tensor<2xcomplex<f32>>
};

std::vector<Port> input_ports(const Graph& function);
std::vector<Port> output_ports(const Graph& function);

// tensor<2xcomplex<f32>>, given the type of the parts.
void print_complex_type(std::ostream& out, Type part);

}  // namespace weft::ir
