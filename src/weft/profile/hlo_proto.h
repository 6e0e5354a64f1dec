// HLO text as the HloProto that XProf's graph viewer and op profile read.
#pragma once

#include <cstdint>
#include <string>

#include <weft/profile/hlo_text.h>

namespace weft::profile {

// Serialised.
std::string hlo_proto(const HloModule& module, std::int64_t program_id);

}  // namespace weft::profile
