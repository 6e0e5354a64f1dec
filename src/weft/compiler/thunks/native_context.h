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

// What the maker of a unit may ask of the compilation around it.
struct NativeContext {
  const Options& options;
  std::vector<std::string>& fallbacks;              // for nodes inside of regions that the interpreter runs
  std::vector<std::shared_ptr<Routine>>& routines;  // receives what the unit's thunk will call
  const NestedCompiler& nested;
};

// A unit that reads the storage of all operands and writes all results, without name and without `make`.
Unit unit_of(const ir::Node& node);

// Gives the unit the form that `at` returns: now if `sizes` are numbers, else once they are.
void set_form(Unit& unit, std::vector<Size> sizes, std::function<std::optional<Unit>(const SizeValues& sizes)> at);

// Lets result i live in the bytes of operand i, for a thunk that copies what does not. Operands given twice are left alone.
void share_operands(Unit& unit);

}  // namespace weft::compiler
