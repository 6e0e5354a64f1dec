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

// Returns whether a wait from one time to another, in nanoseconds, is worth a span. 0 stands for no wait. What another rank tells of its
// own wait may have begun after this rank looked at the clock; a span cannot end before it begins.
bool is_worth_a_span(std::uint64_t since_ns, std::uint64_t now_ns);

}  // namespace weft::runtime
