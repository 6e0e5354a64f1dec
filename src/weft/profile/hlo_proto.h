// HLO text as the HloProto that XProf's graph viewer, memory viewer and op profile read.
#pragma once

#include <cstdint>
#include <string>

#include <weft/profile/hlo_text.h>
#include <weft/profile/recording.h>

namespace weft::profile {

// Serialised: the module of the program, and where its memory plan puts the values.
std::string hlo_proto(const Program& program, const HloModule& module, std::int64_t program_id);

}  // namespace weft::profile
