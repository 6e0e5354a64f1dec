// A recording as XSpace, the file that XProf and TensorBoard's profile plugin open.
#pragma once

#include <string>

#include <weft/profile/analysis.h>

namespace weft::profile {

// Serialised. XProf makes op statistics only of planes named as a TPU's are, so the device is written as one; its stat
// device_type_string says what it is. Planes: /device:TPU:0 with steps, modules and ops; /host:CPU with the threads; /host:metadata
// with each program as HloProto.
std::string xspace(const Recording& recording, const Analysis& analysis);

}  // namespace weft::profile
