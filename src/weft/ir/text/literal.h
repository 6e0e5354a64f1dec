// Reads and prints constants: dense<0.5>, dense<[[1, 2], [3, 4]]>, dense<"0x0102">, dense<[(1.0, 0.0), (0.0, 1.0)]>.
#pragma once

#include <string>
#include <string_view>

#include <weft/base/arena.h>
#include <weft/ir/attributes.h>
#include <weft/ir/text/lexer.h>
#include <weft/ir/text/syntax.h>

namespace weft::ir::text {

// Reads a dense attribute: from its text, which is a view into the source, or from its bytes. A single element for a larger type is a
// splat. The bytes are stored in the arena.
Literal read_literal(const Source& source, const Attribute& dense, Type type, Arena& arena);

// Reads the hexadecimal digits of a resource: 0x, four bytes of alignment, the elements. `at` is the position of the constant,
// for messages.
Literal read_resource(const Source& source, std::size_t at, std::string_view blob, Type type, Arena& arena);

// The same for complex numbers: lists contain pairs (1.0, -2.0); bytes contain the real part, then the imaginary part. `part` is
// the type of each part.
struct ComplexLiteral {
  Literal re, im;
};
ComplexLiteral read_complex_literal(const Source& source, const Attribute& dense, Type part, Arena& arena);
ComplexLiteral read_complex_resource(const Source& source, std::size_t at, std::string_view blob, Type part,
                                     Arena& arena);

// Writes element `i` in row-major order: true, -1, 1.000000e+00.
void print_element(std::string& out, const Literal& literal, std::int64_t i);

// Writes dense<...> : type, as a list for up to 100 elements and as hexadecimal bytes otherwise. Floating-point numbers have
// seven significant digits, or as many as are needed to read the same bits back.
void print_dense(std::string& out, const Literal& literal);

}  // namespace weft::ir::text
