// Tensors of another device than the one that this thread launches on.
#pragma once

#include <string>

#include <weft/runtime/buffer.h>

namespace weft::record {

// Throws Error: `what`, about to be read by an operation or a launch of this thread, is a tensor of that other device.
[[noreturn]] void fail_on_wrong_device(const std::string& what, const runtime::Buffer& buffer);

}  // namespace weft::record
