// Decodes types: those of VHLO, and the builtin types that Shardy's operations and the attributes of modules use.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <weft/ir/bytecode/container.h>
#include <weft/ir/text/syntax.h>
#include <weft/ir/text/text.h>

namespace weft::ir::bytecode {

// The type of an element or of a number.
struct ElementType {
  std::string_view name;  // in MLIR's form: f32, ui8, index
  int bits = 0;
  std::optional<DType> dtype = {};  // empty if weft has no such element
  bool is_complex = false;
};

// The operation that has a type or an attribute, for messages.
struct Owner {
  std::size_t at;
  std::string_view name;
};

class TypeDecoder {
 public:
  TypeDecoder(const text::Source& source, const Container& container, const ParseLimits& limits)
      : source_(source),
        container_(container),
        limits_(limits),
        known_(container.types.size()),
        known_of_attributes_(container.types.size()) {}

  // Return the type at this position of the table of types. Throw UnsupportedError for a type that no value can have in weft, and Error for
  // a malformed one; both name the owner.
  text::WrittenType value_type(std::size_t index, const Owner& owner);
  // The type of an attribute's elements may also be index, which counts as i64: layouts are written so.
  text::WrittenType attribute_type(std::size_t index, const Owner& owner);
  // Returns nullopt if the type is not that of a number.
  std::optional<ElementType> number_type(std::size_t index) const;
  // Returns whether the type is VHLO's none, which stands for an attribute that is not given.
  bool is_none(std::size_t index) const;

 private:
  struct Code {
    std::string_view dialect;
    std::uint64_t number;
    ByteReader rest;
  };
  Code code_of(std::size_t index) const;
  [[noreturn]] void fail(const Owner& owner, const std::string& message) const;
  [[noreturn]] void fail_unsupported(const Owner& owner, const std::string& message, std::string_view feature) const;
  static std::string_view name_of(const Code& code);
  ElementType element(std::size_t index, const Owner& owner) const;
  text::WrittenType tensor(const Code& code, const Owner& owner, bool takes_index) const;
  text::WrittenType decoded(std::size_t index, const Owner& owner, bool takes_index) const;

  const text::Source& source_;
  const Container& container_;
  const ParseLimits& limits_;
  std::vector<text::WrittenType> known_, known_of_attributes_;
};

}  // namespace weft::ir::bytecode
