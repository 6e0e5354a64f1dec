// Ops that say where values are placed on devices; they do not change the values. Included through <weft/ir/ops.h>.
#pragma once

#include <weft/ir/ops/declare.h>
#include <weft/ir/ops/elementwise.h>

namespace weft::ir {

std::vector<Batched> batch_sharding(const BatchCall& c);

namespace ops {

// clang-format off: a table
WEFT_FAMILY(placement)

WEFT_OP(sharding_constraint) {  // Shardy: from here on the value is sharded as given
    .name = "sharding_constraint", .kind = Kind::elementwise, .arity = 1, .types = same_type, .gradient = same_gradient,
    .scalar = same_scalar, .attributes = schema<ShardingAttributes>, .linear = linear_together, .batch = batch_sharding, .dialect = "sdy",
};
WEFT_OP(reshard) {  // Shardy: the value is moved to the given sharding
    .name = "reshard", .kind = Kind::elementwise, .arity = 1, .types = same_type, .gradient = same_gradient,
    .scalar = same_scalar, .attributes = schema<ShardingAttributes>, .linear = linear_together, .batch = batch_sharding, .dialect = "sdy",
};
WEFT_OP(sharding) {  // GSPMD's sharding_constraint; mhlo.sharding gives the sharding
    .name = "sharding", .kind = Kind::elementwise, .arity = 1, .types = same_type, .gradient = same_gradient,
    .scalar = same_scalar, .attributes = schema<PlacementAttributes>, .linear = linear_together, .call_target = "Sharding",
};
WEFT_OP(device_placement) {  // chooses the memory of the device; mhlo.frontend_attributes name it
    .name = "device_placement", .kind = Kind::elementwise, .arity = 1, .types = same_type, .gradient = same_gradient,
    .scalar = same_scalar, .attributes = schema<PlacementAttributes>, .linear = linear_together, .call_target = "annotate_device_placement",
};

WEFT_FAMILY_END
// clang-format on

}  // namespace ops
}  // namespace weft::ir
