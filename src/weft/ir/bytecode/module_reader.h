// Reads the operations of a container as the syntax that ir/text lowers.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <weft/ir/bytecode/attributes.h>
#include <weft/ir/bytecode/locations.h>
#include <weft/ir/bytecode/operation_kind.h>

namespace weft::ir::bytecode {

// A function with something that weft does not support is read to its end, and refused when it is lowered. The syntax refers to the reader.
class ModuleReader {
 public:
  ModuleReader(const text::Source& source, const Container& container, const ParseLimits& limits);

  // Throws Error if the bytecode is malformed.
  text::SyntaxModule read();

  // Returns where an operation comes from: "byte 812 (model.py:12)", or "byte 812".
  std::string place(std::size_t at) const;

 private:
  // Values have no names in bytecode.
  struct KeptName {
    std::array<char, 24> characters;
    std::string_view text;
  };
  struct Value {
    text::Use use;
    text::WrittenType type;
  };
  // The values of a region that are defined so far. Their numbers follow those of the regions around it.
  struct Values {
    std::size_t first = 0, count = 0;  // count: how many the region says that it defines
    std::vector<Value> defined = {};
    std::size_t end() const { return first + count; }
  };
  // The regions around an operation, up to one that is isolated from above.
  using Scope = std::vector<Values>;

  void top_level(ByteReader in);
  void module_attributes(const text::Operation& module);
  void operation(ByteReader& in, Scope& scope, text::Operation& op);
  void attributes(ByteReader& in, std::uint8_t mask, OperationKind& kind, text::Operation& op);
  void properties(const Extent& extent, OperationKind& kind, text::Operation& op);
  void append_property(KnownProperty& property, std::size_t index, text::Operation& op);
  void results(ByteReader& in, Scope& scope, text::Operation& op);
  void operands(ByteReader& in, const Scope& scope, text::Operation& op);
  void cast(ByteReader& in, std::uint8_t mask, Scope& scope, std::size_t at);
  void regions(ByteReader& in, Scope& scope, text::Operation& op);
  // `owner` is the name of the operation that has the region.
  text::Region region(ByteReader& in, Scope& scope, std::string_view owner);
  void arguments(ByteReader& in, Scope& scope, text::Region& region, std::string_view owner);
  void skip_use_list_orders(ByteReader& in, std::size_t values);
  void define(ByteReader& in, Scope& scope, Value value);
  const Value& value(ByteReader& in, const Scope& scope) const;
  text::Name new_name(const Scope& scope);
  text::WrittenType type(std::uint64_t index, const ByteReader& in, const Owner& owner);
  void add(text::Operation op);
  OperationKind& kind(std::size_t index);
  void require_known(OperationKind& kind, std::size_t at);
  // Runs a step unless the function is refused already; if the step finds something unsupported in a function, the function is refused.
  template <class Step>
  void attempt(Step&& step);

  const text::Source& source_;
  const Container& container_;
  const ParseLimits& limits_;
  TypeDecoder types_;
  AttributeDecoder attributes_;
  LocationDecoder locations_;
  std::vector<std::optional<OperationKind>> kinds_;
  std::vector<std::pair<std::size_t, const Location*>> places_;  // of the operations, in the order of their bytes
  std::deque<KeptName> names_;
  std::optional<UnsupportedError> refusal_;  // of the function that is being read
  bool is_in_function_ = false;
  int depth_ = 0;
  std::int64_t operations_ = 0;
  text::SyntaxModule module_;
};

}  // namespace weft::ir::bytecode
