// Decodes attributes to the syntax that ir/text lowers. VHLO's attributes become those of StableHLO and of MLIR's builtin dialect; those of
// Shardy become their text.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <weft/ir/bytecode/types.h>

namespace weft::ir::bytecode {

using text::Attribute;
using text::NamedAttribute;

// Attributes refer to each other by position, so a malicious file could describe endless or exponentially large ones. The nesting depth and
// the number of attributes that a decoder produces are therefore limited.
class AttributeDecoder {
 public:
  AttributeDecoder(const text::Source& source, const Container& container, const ParseLimits& limits,
                   TypeDecoder& types);

  // Returns the attribute at this position of the table of attributes, as an attribute of its owner. Throws UnsupportedError for an
  // attribute that weft does not know, and Error for a malformed one.
  Attribute decode(std::size_t index, const Owner& owner);
  // The same for the next position that `in` gives.
  Attribute next(ByteReader& in, const Owner& owner);
  // Like decode; appends a name and its value, unless the value stands for an attribute that is not given, or is not read.
  void append(std::string_view name, std::size_t index, const Owner& owner, std::vector<NamedAttribute>& to);

  // From now on, attributes may refer to this mesh of the module, which is written as Shardy's attribute.
  void add_mesh(std::string_view name, std::string_view written) { meshes_.emplace(name, written); }

  // Throws Error if two attributes have the same name.
  void require_distinct(const std::vector<NamedAttribute>& attributes, const Owner& owner) const;

  // Returns the string at a position of the table of strings as it stands between quotes in text.
  std::string_view string(ByteReader& in);
  // Returns a view that lives as long as the decoder.
  std::string_view keep(std::string text);

 private:
  class Nested;
  struct Context {  // an attribute that is being decoded
    ByteReader in;
    const Owner& owner;
  };

  Attribute builtin(Context& c);
  Attribute vhlo(Context& c);
  Attribute word(Context& c, std::uint64_t code);
  Attribute sdy(Context& c);
  std::string sdy_text(Context& c);  // without the name of the attribute
  std::string sdy_part(std::uint64_t index, const Owner& owner);
  std::string sdy_list(ByteReader& in, const Owner& owner);
  std::string sdy_sharding_text(Context& c, bool is_partial, bool has_reduction);

  Attribute list(Context& c);
  Attribute dictionary(Context& c);
  Attribute quoted(Context& c, Attribute::Kind kind);
  Attribute symbol(Context& c);
  Attribute type(Context& c);
  Attribute integer(Context& c);
  Attribute real(Context& c);
  Attribute tensor(Context& c);
  Attribute packed_tensor(Context& c);
  Attribute dense_array(Context& c);
  Attribute output_alias(Context& c);
  Attribute accuracy(Context& c);
  Attribute axis(Context& c);
  Attribute mesh_axes(Context& c);
  Attribute mesh_axis(Context& c);
  Attribute mesh(Context& c);
  Attribute real_number(ByteReader& in, const ElementType& type, const Owner& owner);
  ElementType number_type(Context& c);
  std::vector<std::int64_t> numbers(ByteReader& in);
  void spend(std::size_t bytes) { left_ -= static_cast<std::int64_t>(bytes / sizeof(Attribute)); }
  [[noreturn]] void fail_unsupported(const Context& c, const std::string& message, std::string_view feature) const {
    source_.fail_unsupported(c.owner.at, concat(c.owner.name, ": ", message), feature);
  }

  const text::Source& source_;
  const Container& container_;
  TypeDecoder& types_;
  int max_depth_, depth_ = 0;
  std::int64_t left_;  // attributes that may still be produced, and pieces of memory of their size
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::string_view> meshes_;
};

}  // namespace weft::ir::bytecode
