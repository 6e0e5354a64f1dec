// Converts a program to the HloProto that XProf's graph viewer, memory viewer and op profile read.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include <weft/base/error.h>
#include <weft/profile/recording.h>

namespace weft::profile {

// Returns the serialised program's description, with the addresses of values in its memory plan.
std::string hlo_proto(const Program& program, std::int64_t program_id);

// Returns the bytes of a message. Throws Error if it has more than 2 GiB, which no reader accepts.
template <class Message>
std::string serialized(const Message& message) {
  require(message.ByteSizeLong() <= std::numeric_limits<std::int32_t>::max(), "it would take more than 2 GiB");
  return message.SerializeAsString();
}

}  // namespace weft::profile
