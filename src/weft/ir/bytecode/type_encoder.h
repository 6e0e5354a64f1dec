// Encodes types in the dialects that types.h decodes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <weft/ir/bytecode/write_context.h>
#include <weft/ir/text/syntax.h>

namespace weft::ir::bytecode {

enum class Dialect : std::uint8_t { vhlo, builtin };

// Every function returns a position in the table of types.
class TypeEncoder {
 public:
  explicit TypeEncoder(WriteContext& context) : context_(context) {}

  std::uint64_t value(const text::WrittenType& type, Dialect dialect);
  // Takes the name of a type of numbers: f32, ui8, index.
  std::uint64_t number(std::string_view name, Dialect dialect);
  // Returns whether VHLO has numbers of a type with this name.
  static bool is_number(std::string_view name);
  // The type of a function of VHLO.
  std::uint64_t function(std::span<const text::WrittenType> arguments, std::span<const text::WrittenType> results);
  // The type that stands for an attribute that is not given.
  std::uint64_t none();

 private:
  std::uint64_t add(Dialect dialect, const ByteWriter& encoding);

  WriteContext& context_;
};

}  // namespace weft::ir::bytecode
