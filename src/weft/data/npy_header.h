// The header of an .npy file: a Python dictionary of three entries, read as strictly as NumPy writes it.
#pragma once

#include <string_view>

#include <weft/base/type.h>

namespace weft::data {

struct NpyHeader {
  Type type;                // of the elements, or of either part of complex ones
  bool is_complex = false;  // each element is a real part and behind it an imaginary one
  bool is_big_endian = false;
  bool is_fortran_order = false;  // the first dimension varies fastest
};

// Throws Error "header, character N: what is wrong".
NpyHeader parse_npy_header(std::string_view text);

// "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
std::string print_npy_header(Type type, bool is_complex = false);

}  // namespace weft::data
