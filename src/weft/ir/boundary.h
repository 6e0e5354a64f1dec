// The arguments and results of a function as written in its text. A complex argument is two inputs of the graph: the real part,
// followed by the imaginary part. Annotations mark the parts (docs/design/complex.md).
#pragma once

#include <cstddef>
#include <iosfwd>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir {

// Returns the annotation that marks a part: weft.complex = "real" or weft.complex = "imag".
Annotation complex_part(bool imaginary);

struct Port {
  std::size_t first = 0;  // index of its first input or output of the graph
  Type part;              // the type of the value, or of either part
  bool is_complex = false;

  std::size_t count() const { return is_complex ? 2 : 1; }
  friend std::ostream& operator<<(std::ostream& out, const Port& port);  // prints the type: tensor<2xcomplex<f32>>
};

std::vector<Port> input_ports(const Graph& function);
std::vector<Port> output_ports(const Graph& function);

// Prints the complex type whose parts have the type `part`: tensor<2xcomplex<f32>>.
void print_complex_type(std::ostream& out, Type part);

}  // namespace weft::ir
