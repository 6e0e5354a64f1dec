// The codes with which MLIR's builtin dialect begins the encodings of its attributes, as its file BuiltinDialectBytecode.td lists them.
#pragma once

#include <cstdint>

namespace weft::ir::bytecode {

enum class BuiltinAttribute : std::uint64_t {
  array,
  dictionary,
  string,
  string_with_type,
  flat_symbol,
  symbol,
  type,
  unit,
  integer,
  real,
  callsite_location,
  file_location,
  fused_location,
  fused_location_with_metadata,
  name_location,
  unknown_location,
  dense_resource,
  dense_array,
  dense_elements,
  dense_strings,
  sparse_elements,
  distinct,
  file_range_location,
};

}  // namespace weft::ir::bytecode
