// Errors for tensors of a device other than the one on which this thread launches.
#pragma once

#include <string>

#include <weft/runtime/buffer.h>

namespace weft::record {

// Throws Error because `what`, which an operation or a launch of this thread is about to read, is a tensor of another device.
[[noreturn]] void fail_on_wrong_device(const std::string& what, const runtime::Buffer& buffer);

}  // namespace weft::record
