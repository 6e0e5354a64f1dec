#include <apps/ranking/ranking_config.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include <system_error>

#include <weft/base/error.h>

namespace weft::ranking {

namespace {

// Parses numbers with commas; each is from 1 to `most`.
std::vector<std::int64_t> parse_numbers(const char* field, std::string_view text, std::int64_t most,
                                        std::string_view expected) {
  std::vector<std::int64_t> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::int64_t number = 0;
    const auto [rest, error] = std::from_chars(text.data() + begin, text.data() + end, number);
    require(error == std::errc() && rest == text.data() + end && number > 0 && number <= most, field, " must be ",
            expected, " from 1 to ", most, ", got '", text, "'");
    numbers.push_back(number);
    begin = end + 1;
  }
  return numbers;
}

std::vector<std::int64_t> parse_widths(const char* field, std::string_view text) {
  constexpr std::int64_t widest = 1 << 20;
  return parse_numbers(field, text, widest, "widths with commas, such as 64,32,");
}

constexpr std::pair<std::string_view, train::Schedule (*)()> schedules[] = {
    {"base", train::schedule::base},
    {"sparse_dist", train::schedule::sparse_dist},
    {"fused_sparse_dist", train::schedule::fused_sparse_dist},
    {"prefetch", train::schedule::prefetch},
    {"exact", [] { return train::schedule::exact(); }},
    {"semi_sync", train::schedule::semi_sync}};

void check_schedule(const RankingConfig& config) {
  const std::string& name = config.step_schedule;
  if (config.has_stored_tables()) {
    require(
        name == "base" || name == "prefetch" || name == "exact", "schedule ", name,
        " is about tables that are divided among devices; with tables in files, it must be base, prefetch or exact");
  } else {
    require(name != "prefetch",
            "schedule prefetch reads rows of tables in files: give --table-folder and --load-factor, or choose another "
            "one");
  }
}

}  // namespace

train::Schedule schedule_named(std::string_view name) {
  for (const auto& [known, schedule] : schedules)
    if (known == name) return schedule();
  std::string names;
  for (const auto& [known, schedule] : schedules)
    names += concat(names.empty() ? "" : known == std::rbegin(schedules)->first ? " or " : ", ", known);
  fail("schedule must be ", names, ", got ", name);
}

std::vector<std::int64_t> RankingConfig::table_rows() const {
  constexpr std::int64_t most = std::int64_t{1} << 32;  // ids have 32 bits
  std::vector<std::int64_t> of_tables = parse_numbers("rows", rows, most, "a number, or one for each table,");
  if (of_tables.size() == 1) of_tables.resize(CriteoSample::id_count, of_tables[0]);
  require(of_tables.size() == CriteoSample::id_count, "rows must be one number or ", CriteoSample::id_count, ", got ",
          of_tables.size());
  return of_tables;
}
std::vector<std::int64_t> RankingConfig::bottom_widths() const { return parse_widths("bottom", bottom); }
std::vector<std::int64_t> RankingConfig::top_widths() const { return parse_widths("top", top); }

void RankingConfig::check() const {
  table_rows();
  train::check_size("width", width);
  require(load_factor > 0 && load_factor <= 1, "load_factor must lie in (0, 1], got ", load_factor);
  bottom_widths();
  top_widths();
  train::Recipe::check();
  require(table_lr > 0, "table_lr must be positive, got ", table_lr);
  schedule_named(step_schedule);
  check_schedule(*this);
  require(held_out > 0, "held_out must be positive, got ", held_out);
  require(days > 0, "days must be positive, got ", days);
  require(day_samples > 0, "day_samples must be positive, got ", day_samples);
}

}  // namespace weft::ranking
