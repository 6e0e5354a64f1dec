// The devices of this process by name: "cpu", "cuda" (the first NVIDIA GPU) or "cuda:1" (another one).
#pragma once

#include <optional>
#include <string_view>

#include <weft/runtime/device.h>

namespace weft::runtime {

// Returns the number of the GPU that a name stands for, or nullopt for the CPU. Throws Error for other names.
std::optional<int> parse_device(std::string_view name);

// Throws Error with the reason and a remedy if there is no such device. Does not make it, but loads the driver of a GPU. Thread-safe.
void require_device(std::string_view name);

// Returns a device, made at first use with options from the knobs. Throws Error with the reason and a remedy if there is no such device.
// Thread-safe.
Device& device_named(std::string_view name);

// Returns the device that WEFT_DEVICE names. Thread-safe.
Device& default_device();

}  // namespace weft::runtime
