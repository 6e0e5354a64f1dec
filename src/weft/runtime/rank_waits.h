// Spans of a recording (base/trace.h) that tell for how long a rank waited for another one, which began a collective later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::runtime {

inline constexpr const char* rank_wait_category = "rank wait";

struct RankWait {
  std::uint32_t waiting, late;

  std::string name() const;  // "rank 0 waits for rank 3"
  static std::optional<RankWait> parse(std::string_view name);
  friend bool operator==(const RankWait&, const RankWait&) = default;
};

}  // namespace weft::runtime
