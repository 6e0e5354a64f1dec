// A program as the HloProto that XProf's graph viewer, memory viewer and op profile read.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include <weft/base/error.h>
#include <weft/profile/recording.h>

namespace weft::profile {

// Serialised: the program's description, and where its memory plan puts the values.
std::string hlo_proto(const Program& program, std::int64_t program_id);

// The bytes of a message. Throws Error for one of more than 2 GiB, which no reader would take.
template <class Message>
std::string serialized(const Message& message) {
  require(message.ByteSizeLong() <= std::numeric_limits<std::int32_t>::max(), "it would take more than 2 GiB");
  return message.SerializeAsString();
}

}  // namespace weft::profile
