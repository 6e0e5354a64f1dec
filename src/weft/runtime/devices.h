// The devices of this process by name.
#pragma once

#include <string_view>

#include <weft/runtime/device.h>

namespace weft::runtime {

// Returns a device, made at first use with options from the knobs: "cpu", "cuda" (the first NVIDIA GPU) or "cuda:1" (another one). Throws
// Error with the reason and a remedy if there is no such device. Thread-safe.
Device& device_named(std::string_view name);

// Returns the device that WEFT_DEVICE names. Thread-safe.
Device& default_device();

}  // namespace weft::runtime
