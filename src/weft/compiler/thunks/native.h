// Nodes that run as a hand-written thunk of their own. A new one is one line of the table in native.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <weft/compiler/compiler.h>
#include <weft/compiler/unit.h>

namespace weft::compiler {

// What a rule may ask of the compilation around it.
struct NativeContext {
  const Options& options;
  std::vector<std::string>& fallbacks;              // for nodes inside of regions that the interpreter runs
  std::vector<std::shared_ptr<Routine>>& routines;  // receives what the unit's thunk will call
};

// The node as a unit; empty if no thunk covers it, which is then the interpreter's.
std::optional<Unit> native_unit(const ir::Node& node, const NativeContext& context);

// A unit that reads the storage of all operands and writes all results, without name and without `make`.
Unit unit_of(const ir::Node& node);

// Lets result i live in the bytes of operand i, for a thunk that copies what does not. Operands given twice are left alone.
void share_operands(Unit& unit);

}  // namespace weft::compiler
