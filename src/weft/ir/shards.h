// The shards of arrays: what each device of a mesh holds of a tensor.
#pragma once

#include <span>
#include <vector>

#include <weft/ir/array.h>
#include <weft/ir/sharding.h>

namespace weft::ir {

// Returns what one device holds. Of a partial value, the device at position 0 of the partial axes holds the elements and the others hold
// the reduction's identity.
Array shard_of(const Array& whole, const Sharding& sharding, std::int64_t device);
// Returns what each device holds, in the order of the devices.
std::vector<Array> shards_of(const Array& whole, const Sharding& sharding);

// Returns whether two devices hold the same shard, or the same part of it.
bool hold_the_same(const Sharding& sharding, std::int64_t a, std::int64_t b);

// Returns the tensor that the shards hold. Throws Error if devices that should hold the same elements differ.
Array assemble(std::span<const Array> shards, const Sharding& sharding, Type type);

}  // namespace weft::ir
