// The memory plan of a program as XLA's BufferAssignmentProto, from which XProf's memory viewer draws what is alive when.
#pragma once

#include <weft/profile/recording.h>

namespace weft::profile {

namespace proto {
class BufferAssignmentProto;
class HloComputationProto;
}  // namespace proto

// `entry`: of the program's description, its instructions in their order.
void assign_buffers(const Program& program, const proto::HloComputationProto& entry,
                    proto::BufferAssignmentProto& assignment);

}  // namespace weft::profile
