// Brings operations of StableHLO into VHLO's form of a version; to_stablehlo does the reverse.
#pragma once

#include <vector>

#include <weft/ir/bytecode/operation_forms.h>
#include <weft/ir/bytecode/write_context.h>
#include <weft/ir/text/syntax.h>

namespace weft::ir::bytecode {

struct VhloOperation {
  const OperationForm* form;
  std::vector<text::NamedAttribute> properties;  // in the order of the form
  std::vector<text::NamedAttribute> others;      // attributes of other dialects: mhlo.sharding
};

// Throws Error if the target version has no such operation, or lacks something that the operation has. Versions without composites get a
// call of the decomposition instead.
VhloOperation to_vhlo(const text::Operation& operation, const WriteContext& context);

// Returns the form of VHLO's operation with this name, without the dialect and the version, in the target version.
const OperationForm& form_of(std::string_view name, const WriteContext& context);

}  // namespace weft::ir::bytecode
