#include <weft/runtime/rank_waits.h>

#include <charconv>

#include <weft/base/error.h>

namespace weft::runtime {

namespace {

constexpr std::string_view rank = "rank ", waits_for = " waits for rank ";

// Takes a number away from the beginning of a text.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t number = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::string RankWait::name() const { return concat(rank, waiting, waits_for, late); }

std::optional<RankWait> RankWait::parse(std::string_view name) {
  if (!name.starts_with(rank)) return std::nullopt;
  name.remove_prefix(rank.size());
  const auto waiting = take_number(name);
  if (!waiting || !name.starts_with(waits_for)) return std::nullopt;
  name.remove_prefix(waits_for.size());
  const auto late = take_number(name);
  if (!late || !name.empty()) return std::nullopt;
  return RankWait{*waiting, *late};
}

bool is_worth_a_span(std::uint64_t since_ns, std::uint64_t now_ns) {
  constexpr std::uint64_t least_ns = 20'000;
  return since_ns != 0 && since_ns < now_ns && now_ns - since_ns >= least_ns;
}

}  // namespace weft::runtime
