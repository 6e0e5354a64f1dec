// Encodes Shardy's attributes, which a graph keeps as text.
#pragma once

#include <cstdint>
#include <string_view>

#include <weft/ir/bytecode/write_context.h>

namespace weft::ir::bytecode {

// Takes #sdy.mesh<["x"=2]>, #sdy.sharding<@mesh, [{"x"}]>, #sdy.sharding_per_value<[<@mesh, [{"x"}]>]> or #sdy<manual_axes{"x"}>, and returns
// the position in the table of attributes. Throws Error for another attribute.
std::uint64_t encode_sdy(WriteContext& context, std::string_view text);

}  // namespace weft::ir::bytecode
