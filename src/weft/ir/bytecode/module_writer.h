// Writes the operations of a module's syntax as bytecode, which module_reader.h reads.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include <weft/ir/bytecode/attribute_encoder.h>
#include <weft/ir/bytecode/to_vhlo.h>
#include <weft/ir/text/location.h>

namespace weft::ir::bytecode {

class ModuleWriter {
 public:
  // `source` is the text of the module. Messages name the places that it gives, whether or not they are written.
  ModuleWriter(const text::Source& source, const text::SyntaxModule& module, StablehloVersion target, int max_depth,
               bool writes_locations);

  // Returns the file. Throws Error if the target version cannot hold the module.
  std::string write();

 private:
  using Named = AttributeEncoder::Named;
  // An operation whose parts are encoded; the numbers are positions in tables, and numbers of values.
  struct Encoded {
    std::string_view dialect, name;
    Location location = {};
    std::vector<Named> properties = {}, others = {};
    std::vector<std::uint64_t> result_types = {}, operands = {};
    std::size_t regions = 0;
    bool is_isolated = false;  // the regions use no values from outside
    ByteWriter region_bytes = {};
  };
  // The region that is being written; its values have the numbers from `first`.
  struct Frame {
    std::uint64_t first, values, next;
    std::vector<text::Use> defined = {};
  };

  ByteWriter module_region();
  void mesh(ByteWriter& out, const NamedAttribute& mesh);
  void function(ByteWriter& out, const text::Function& function);
  NamedAttribute port_attributes(std::string_view name, const std::vector<std::vector<NamedAttribute>>& ports) const;
  void operation(ByteWriter& out, const text::Operation& op);
  void vhlo_operation(ByteWriter& out, const text::Operation& op);
  // Operations of Shardy take and give values of builtin types.
  void sdy_operation(ByteWriter& out, const text::Operation& op);
  std::uint64_t cast(ByteWriter& out, std::uint64_t value, const text::WrittenType& type, Dialect to);
  void regions(const text::Operation& op, Dialect dialect, Encoded& into);
  ByteWriter region(const text::Region& region, Dialect arguments, bool is_isolated);
  void emit(ByteWriter& out, const Encoded& op);
  static void write_properties(ByteWriter& out, const std::string& name, const std::vector<Named>& given);

  std::uint64_t define(const text::Use& use);
  std::uint64_t new_value() { return frames_.back().next++; }
  std::uint64_t value(const text::Use& use) const;
  std::uint64_t location(const Location& location) {
    return attributes_.location(writes_locations_ ? location : Location());
  }

  const text::SyntaxModule& module_;
  WriteContext context_;
  text::LocationReader locations_;
  TypeEncoder types_;
  AttributeEncoder attributes_;
  bool writes_locations_;
  std::vector<Frame> frames_;
  std::unordered_map<text::Use, std::uint64_t, text::UseHash> values_;
};

}  // namespace weft::ir::bytecode
