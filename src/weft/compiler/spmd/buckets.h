// Joins independent collectives of a divided program, so that one operation carries many tensors: it pays the latency once, and has as
// many operands as tensors, so nothing is copied into a bucket.
#pragma once

#include <weft/compiler/options/options.h>
#include <weft/compiler/spmd/partition.h>

namespace weft::compiler {

// Returns the program with its collectives joined as Options::bucketing says. Collectives are joined only if they are of one kind, among
// the same devices and with the same body, and if all their operands come, in the order of the program, before a result is needed. The
// cuts between buckets are those with which results are predicted to be the least late for what needs them; of nearly equal choices, the
// one with the fewest buckets. If they run beside computation, a bucket of which the latency is a small part is not made larger: what it carries
// can then be computed at different times.
Partitioned join_collectives(const Partitioned& program, const Options& options);

}  // namespace weft::compiler
