// A recording as an XSpace, the file format of XProf and TensorBoard's profile plugin.
#pragma once

#include <string>

#include <weft/profile/analysis.h>

namespace weft::profile {

// Returns the serialised XSpace. XProf computes op statistics only for planes that are named like a TPU's, so the device is
// written as one; its stat device_type_string tells what it is. Planes: /device:TPU:0 with steps, modules and ops; /host:CPU
// with the threads; /host:metadata with each program as HloProto.
std::string xspace(const Recording& recording, const Analysis& analysis);

}  // namespace weft::profile
