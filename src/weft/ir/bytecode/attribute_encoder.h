// Encodes attributes of syntax, as attributes.h decodes them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <weft/base/arena.h>
#include <weft/ir/bytecode/type_encoder.h>

namespace weft::ir::bytecode {

using text::Attribute;
using text::NamedAttribute;

// Every function returns a position in the table of attributes, and throws Error for an attribute that bytecode cannot hold.
class AttributeEncoder {
 public:
  AttributeEncoder(WriteContext& context, TypeEncoder& types) : context_(context), types_(types) {}

  // Attributes of Shardy are encoded as such in either dialect.
  std::uint64_t encode(const Attribute& attribute, Dialect dialect);
  // The attribute of VHLO operations with this name, for which VHLO may have an encoding of its own.
  std::uint64_t encode(const NamedAttribute& attribute);
  std::uint64_t string(std::string_view text, Dialect dialect);
  // The dictionary of an operation's attributes.
  struct Named {
    std::string_view name;  // with unresolved escapes, as in syntax
    std::uint64_t attribute;
  };
  std::uint64_t dictionary(std::vector<Named> fields);
  std::uint64_t function_type(std::span<const text::WrittenType> arguments, std::span<const text::WrittenType> results);
  std::uint64_t location(const Location& location);

 private:
  std::uint64_t add(Dialect dialect, const ByteWriter& encoding);
  std::uint64_t text(std::string_view unresolved, Dialect dialect);
  std::uint64_t boolean(const Attribute& attribute, Dialect dialect);
  std::uint64_t integer(const Attribute& attribute, Dialect dialect);
  std::uint64_t real(const Attribute& attribute, Dialect dialect);
  std::uint64_t symbol(const Attribute& attribute, Dialect dialect);
  std::uint64_t word(const Attribute& attribute, Dialect dialect);
  std::uint64_t list(const Attribute& attribute, Dialect dialect);
  std::uint64_t fields(const Attribute& attribute, Dialect dialect);
  std::uint64_t integers(const Attribute& attribute, Dialect dialect);
  std::uint64_t dense(const Attribute& attribute, Dialect dialect);
  std::uint64_t tensor(Type type, std::span<const std::byte> elements);
  std::uint64_t opaque(const Attribute& attribute);
  std::uint64_t accuracy(const Attribute& attribute);
  std::uint64_t bits_of(const Attribute& real);
  [[noreturn]] void refuse(const Attribute& attribute);

  WriteContext& context_;
  TypeEncoder& types_;
  Arena arena_;
};

}  // namespace weft::ir::bytecode
