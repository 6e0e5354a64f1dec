// The memory plan of a program as XLA's BufferAssignmentProto, from which XProf's memory viewer draws which buffers are alive
// when.
#pragma once

#include <weft/profile/recording.h>

namespace weft::profile {

namespace proto {
class BufferAssignmentProto;
class HloComputationProto;
}  // namespace proto

// `entry` is the entry of the program's description, with its instructions in order.
void assign_buffers(const Program& program, const proto::HloComputationProto& entry,
                    proto::BufferAssignmentProto& assignment);

}  // namespace weft::profile
