// What a file of MLIR bytecode consists of: tables of strings, dialects, operation names, attributes, types and properties, and the
// operations, which refer to these tables by position. Nothing is decoded yet.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <weft/ir/bytecode/byte_reader.h>

namespace weft::ir::bytecode {

// The bytes with which every file begins.
inline constexpr std::string_view magic = "ML\xEFR";

// The versions of the container in which its encoding has changed.
enum ContainerVersion : std::uint64_t {
  has_no_versions = 0,
  has_dialect_versions = 1,
  has_isolated_sections = 2,
  has_use_list_orders = 3,
  omits_unknown_locations = 4,
  has_properties = 5,
  newest_container = 6,
};

// The bits of the byte that says what an operation has.
enum Has : std::uint8_t {
  has_attributes = 1,
  has_results = 2,
  has_operands = 4,
  has_successors = 8,
  has_regions = 16,
  has_use_lists = 32,
  has_property = 64,
};

struct Extent {
  std::size_t at = 0, end = 0;
};

// An attribute or a type.
struct Entry {
  std::uint32_t dialect;  // position in the table of dialects
  bool is_text;           // written as text, for want of an encoding
  Extent extent;
};

struct OperationName {
  std::uint32_t dialect;
  std::string_view name;  // without the dialect
};

struct Container {
  std::uint64_t version = 0;
  std::string_view producer;
  std::vector<std::string_view> strings, dialects;
  std::vector<OperationName> operations;
  std::vector<Entry> attributes, types;
  std::vector<Extent> properties;
  Extent ir;
};

// Reads the container in the source's text. Throws Error if it is malformed or of a newer version. Views and extents are of the source.
Container read_container(const text::Source& source);

}  // namespace weft::ir::bytecode
