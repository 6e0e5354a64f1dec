// Tells how the values of a divided program are sharded, and what each is sharded like.
#pragma once

#include <string>
#include <vector>

#include <weft/compiler/spmd/partition.h>

namespace weft::compiler {

struct ShardedValue {
  std::string value;                 // dot_general at train.cpp:9
  std::string type, sharding;        // of all devices together; [{"data"}, {}]
  std::vector<std::string> reasons;  // for each axis along which it is divided or a partial sum
};

// Returns a line for each value of the program that some axis divides, in its order. The reasons follow the flow of the data back to an
// input, or on to a user that asks for the sharding.
std::vector<ShardedValue> explain_shardings(const Partitioned& program);

}  // namespace weft::compiler
