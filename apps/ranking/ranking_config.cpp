#include <apps/ranking/ranking_config.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include <system_error>

#include <weft/base/error.h>

namespace weft::ranking {

namespace {

std::vector<std::int64_t> parse_widths(const char* field, std::string_view text) {
  std::vector<std::int64_t> widths;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::int64_t width = 0;
    const auto [rest, error] = std::from_chars(text.data() + begin, text.data() + end, width);
    require(error == std::errc() && rest == text.data() + end, field, " must be widths such as 64,32, got ", text);
    train::check_size(field, width);
    widths.push_back(width);
    begin = end + 1;
  }
  return widths;
}

constexpr std::pair<std::string_view, train::Schedule (*)()> schedules[] = {
    {"base", train::schedule::base},
    {"sparse_dist", train::schedule::sparse_dist},
    {"fused_sparse_dist", train::schedule::fused_sparse_dist},
    {"exact", train::schedule::exact},
    {"semi_sync", train::schedule::semi_sync}};

}  // namespace

train::Schedule schedule_named(std::string_view name) {
  for (const auto& [known, schedule] : schedules)
    if (known == name) return schedule();
  std::string names;
  for (const auto& [known, schedule] : schedules)
    names += concat(names.empty() ? "" : known == std::rbegin(schedules)->first ? " or " : ", ", known);
  fail("schedule must be ", names, ", got ", name);
}

std::vector<std::int64_t> RankingConfig::bottom_widths() const { return parse_widths("bottom", bottom); }
std::vector<std::int64_t> RankingConfig::top_widths() const { return parse_widths("top", top); }

void RankingConfig::check() const {
  constexpr std::int64_t most_rows = std::int64_t{1} << 32;  // ids have 32 bits
  require(rows > 0 && rows <= most_rows, "rows must be from 1 to ", most_rows, ", got ", rows);
  train::check_size("width", width);
  bottom_widths();
  top_widths();
  train::Recipe::check();
  require(table_lr > 0, "table_lr must be positive, got ", table_lr);
  schedule_named(step_schedule);
  require(held_out > 0, "held_out must be positive, got ", held_out);
  require(days > 0, "days must be positive, got ", days);
  require(day_samples > 0, "day_samples must be positive, got ", day_samples);
}

}  // namespace weft::ranking
