// Lookups in embedding tables, their gradients, and the update of the rows that lookups have read: all tables in one thunk.
#pragma once

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

Unit embedding_bag_unit(const ir::Node& node, const NativeContext& context);
Unit embedding_bag_gradient_unit(const ir::Node& node, const NativeContext& context);
Unit embedding_weights_gradient_unit(const ir::Node& node, const NativeContext& context);
Unit embedding_update_unit(const ir::Node& node, const NativeContext& context);

// Returns whether the node is one of these whose rows have widths that are numbers. Its unit is then for any number of ids, samples and rows,
// since the number of ids is different in every batch.
bool has_rows_of_known_width(const ir::Node& node);

}  // namespace weft::compiler
