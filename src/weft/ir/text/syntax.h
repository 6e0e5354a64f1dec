// A module as written, before it is interpreted: every operation is in the generic form, whichever form it was read from. Names are
// views into what was read, or into memory that the reader keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <weft/base/hash.h>
#include <weft/base/short_list.h>
#include <weft/ir/legalize/written.h>
#include <weft/ir/text/lexer.h>

namespace weft::ir::text {

using legalize::WrittenType;
using legalize::WrittenValue;
using legalize::WrittenValues;

struct NamedAttribute;

struct Attribute {
  enum class Kind : std::uint8_t {
    unit,
    boolean,     // integer
    integer,     // integer
    real,        // text: the number
    string,      // text: the characters between the quotes, escapes unresolved
    symbol,      // text: the name
    word,        // text: LT of #stablehlo<comparison_direction LT>
    list,        // items
    dictionary,  // fields; also #stablehlo.gather<field = value>
    integers,    // array<i64: 1, 2>
    dense,       // text: the characters between < and >, or the elements themselves if is_raw; type
    resource,    // text: its name; type
    alias,       // text: its name
    opaque,      // types, locations and attributes of other dialects, which are known only as text
  };
  Kind kind = Kind::unit;
  bool is_raw = false;       // of dense: `text` holds the bytes of all elements, or of the one element of a splat
  std::size_t at = 0;        // where it is in the source
  std::string_view written;  // the whole attribute as text; empty if it was not read from text
  std::int64_t integer = 0;
  std::string_view text;
  WrittenType type;  // also of a number whose type is given, and of each number of a list
  std::vector<std::int64_t> integers;
  std::vector<Attribute> items;
  std::vector<NamedAttribute> fields;
};

struct NamedAttribute {
  std::string_view name;
  Attribute value;
};

const Attribute* find(const std::vector<NamedAttribute>& attributes, std::string_view name);

// The name of a value, such as %x. A reader keeps equal names once, so names are compared by their addresses.
class Name {
 public:
  constexpr Name() = default;
  // The name is the address of what is kept.
  constexpr explicit Name(const std::string_view* kept) : kept_(kept) {}

  operator std::string_view() const { return kept_ ? *kept_ : std::string_view(); }
  std::uint64_t hash() const { return reinterpret_cast<std::uintptr_t>(kept_); }
  friend bool operator==(Name, Name) = default;

 private:
  const std::string_view* kept_ = nullptr;
};

// %name#index
struct Use {
  Name name;
  std::uint32_t index = 0;
  std::size_t at = 0;

  friend bool operator==(const Use& a, const Use& b) { return a.name == b.name && a.index == b.index; }
};

struct UseHash {
  std::size_t operator()(const Use& use) const { return mix(use.name.hash(), use.index); }
};

inline constexpr std::size_t nowhere = -1;  // there is no loc(...)

struct Argument {
  Name name;
  WrittenType type;
  std::size_t at = 0;
  std::vector<NamedAttribute> attributes = {};
  std::uint32_t index = 0;          // result number of the name, as in Use
  std::size_t location = nowhere;   // of its `loc`
  const Location* place = nullptr;  // its location, if it was not read from text
};

struct Results {  // %name:count
  Name name;
  std::uint32_t count = 1;
};

// Most operations have few operands and one result.
using Uses = ShortList<Use, 3>;
using WrittenTypes = ShortList<WrittenType, 2>;

struct Operation;

// A region with one block.
struct Region {
  std::size_t at = 0;
  std::vector<Argument> arguments;
  std::vector<Operation> operations;
  std::vector<Use> captures;  // values that it uses from outside, in the order of use
};

struct Operation {
  std::string_view name;  // with the dialect
  std::size_t at = 0;
  ShortList<Results, 1> results;
  Uses operands;
  WrittenTypes operand_types, result_types;  // operand_types may be missing in pretty forms
  std::vector<NamedAttribute> attributes;
  std::vector<Region> regions;
  std::size_t location = nowhere;   // offset of its loc(...)
  const Location* place = nullptr;  // its location, if it was not read from text
};

struct Function {
  std::string_view name;
  std::size_t at = 0;
  bool is_private = false, has_body = false;
  WrittenTypes results;
  std::vector<std::vector<NamedAttribute>> result_attributes;  // one list per result, or empty
  std::vector<NamedAttribute> attributes;
  Region body;
  std::optional<UnsupportedError> refusal;  // why it cannot be lowered, from a reader that went on behind it
};

// Returns the values that the region uses but does not define, each once.
std::vector<Use> captures_of(const Region& region);

// Returns the function that an operation "func.func" declares. Throws Error if the operation has no name or not one region.
Function function_of(Operation operation, const Source& source);

struct SyntaxModule {
  std::string_view name;
  std::vector<NamedAttribute> attributes;
  std::vector<NamedAttribute> meshes;
  std::vector<Function> functions;
  std::unordered_map<std::string_view, Attribute> aliases;           // without the leading #
  bool has_complex = false;                                          // a complex type occurs in the module
  std::unordered_map<std::string_view, std::string_view> resources;  // name to the text between the quotes
  std::unordered_set<std::string_view> names;                        // of values, if they were read from text
};

}  // namespace weft::ir::text
