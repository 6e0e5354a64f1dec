// The memory of this process, for devices that compute on its CPUs.
#pragma once

#include <cstdint>
#include <memory>

#include <weft/base/process.h>
#include <weft/runtime/allocator.h>

namespace weft::runtime {

// Returns an allocator whose blocks are aligned to 64 bytes, or to 2 MiB from that size on.
std::shared_ptr<Allocator> host_allocator(std::uint64_t limit_bytes = available_memory());

}  // namespace weft::runtime
