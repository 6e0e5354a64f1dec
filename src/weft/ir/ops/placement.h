// Where values lie on devices, which does not change them. Included through <weft/ir/ops.h>.
#pragma once

#include <weft/ir/ops/declare.h>
#include <weft/ir/ops/elementwise.h>

namespace weft::ir::ops {

// clang-format off: a table
WEFT_FAMILY(placement)

WEFT_OP(sharding_constraint) {  // Shardy's: from here on the value is sharded so
    .name = "sharding_constraint", .kind = Kind::elementwise, .arity = 1, .types = same_type, .gradient = same_gradient,
    .scalar = same_scalar, .attributes = schema<ShardingAttributes>, .dialect = "sdy",
};
WEFT_OP(reshard) {  // Shardy's: it is moved to be sharded so
    .name = "reshard", .kind = Kind::elementwise, .arity = 1, .types = same_type, .gradient = same_gradient,
    .scalar = same_scalar, .attributes = schema<ShardingAttributes>, .dialect = "sdy",
};
WEFT_OP(sharding) {  // GSPMD's sharding_constraint; mhlo.sharding says how
    .name = "sharding", .kind = Kind::elementwise, .arity = 1, .types = same_type, .gradient = same_gradient,
    .scalar = same_scalar, .attributes = schema<PlacementAttributes>, .call_target = "Sharding",
};
WEFT_OP(device_placement) {  // in which memory of the device; mhlo.frontend_attributes say it
    .name = "device_placement", .kind = Kind::elementwise, .arity = 1, .types = same_type, .gradient = same_gradient,
    .scalar = same_scalar, .attributes = schema<PlacementAttributes>, .call_target = "annotate_device_placement",
};

WEFT_FAMILY_END
// clang-format on

}  // namespace weft::ir::ops
