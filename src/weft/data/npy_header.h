// Parses the header of an .npy file: a Python dictionary with three entries, read as strictly as NumPy writes it.
#pragma once

#include <string>
#include <string_view>

#include <weft/base/type.h>

namespace weft::data {

inline constexpr std::string_view npy_magic = "\x93NUMPY";  // how a file begins

struct NpyHeader {
  Type type;                // of the elements, or of each part of complex elements
  bool is_complex = false;  // each element is a real part followed by an imaginary part
  bool is_big_endian = false;
  bool is_fortran_order = false;  // the first dimension varies fastest
};

// Throws Error of the form "header, character N: what is wrong".
NpyHeader parse_npy_header(std::string_view text);

// Such as "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }".
std::string print_npy_header(Type type, bool is_complex = false);
// Returns all bytes before the elements: the version, the length of the header and the header. Their number is a multiple of 64, as NumPy
// writes it.
std::string npy_preamble(Type type, bool is_complex = false);

}  // namespace weft::data
