// Notices what a JAX program does that costs time: functions that are compiled again and again, states that are not donated, arrays of the host
// that are copied in every call. Reports diagnostics, with JAX's names and Python lines; does nothing if nobody listens. Thread-safe.
#pragma once

#include <cstdint>
#include <pjrt_c_api.h>
#include <span>

#include <weft/base/diagnostics.h>
#include <weft/pjrt/program.h>

namespace weft::pjrt {

void note_compiled(const Program& program, double ms);

// Called after a launch, with the arrays of the first device.
void note_launched(const Program& program, std::span<PJRT_Buffer* const> arguments,
                   std::span<PJRT_Buffer* const> results);

// Where an array came from.
struct ArrayOrigin {
  std::uint64_t number = 0;  // unique; 0 if nobody listened when the array was made
  // Of an array that was copied from the host: the address, and a digest of some of the bytes.
  const void* host = nullptr;
  std::uint64_t digest = 0;

  static ArrayOrigin made();
  static ArrayOrigin copied(std::span<const std::byte> bytes);
};

}  // namespace weft::pjrt
