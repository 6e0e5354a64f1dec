// What the makers of hand-written thunks share.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <weft/compiler/options/options.h>
#include <weft/compiler/plan/unit.h>
#include <weft/compiler/thunks/nested_compiler.h>

namespace weft::compiler {

// What the maker of a unit needs from the compilation around it.
struct NativeContext {
  const Options& options;
  std::vector<std::string>& fallbacks;              // receives the nodes inside of regions that the interpreter runs
  std::vector<std::shared_ptr<Routine>>& routines;  // receives the routines that the unit's thunk will call
  const NestedCompiler& nested;
};

// Returns a unit that reads the storage of all operands and writes all results, without a name and without `make`.
Unit unit_of(const ir::Node& node);

// Gives the unit the form that `at` returns: now if `sizes` are numbers, otherwise once they are known.
void set_form(Unit& unit, std::vector<Size> sizes, std::function<std::optional<Unit>(const SizeValues& sizes)> at);

// Lets result i use the bytes of operand i, for a thunk that copies where it cannot. Skips operands that are given twice.
void share_operands(Unit& unit);

}  // namespace weft::compiler
