#include <apps/ranking/day_folder.h>

#include <charconv>
#include <map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <system_error>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/json.h>
#include <weft/data/gzip.h>
#include <weft/data/prefetch.h>

namespace weft::ranking {

namespace {

constexpr const char* rule_name = "rule.json";
constexpr std::int64_t rule_version = 1;
constexpr std::int64_t chunk_samples = 10'000;

// Returns the number of a day from the name of its file; nullopt for other files.
std::optional<std::int64_t> day_number(std::string_view name) {
  constexpr std::string_view prefix = "day_";
  if (!name.starts_with(prefix)) return std::nullopt;
  for (const std::string_view suffix : {".gz", ".tsv"})
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

std::map<std::int64_t, std::filesystem::path> files_of_days(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error) fail("cannot read the days in ", folder.string(), ": ", error.message());
  std::map<std::int64_t, std::filesystem::path> files;
  for (const auto& entry : entries) {
    const auto number = day_number(entry.path().filename().string());
    if (!number) continue;
    const auto [known, is_new] = files.emplace(*number, entry.path());
    if (!is_new)
      fail(folder.string(), " has the day ", *number, " twice: ", known->second.filename().string(), " and ",
           entry.path().filename().string());
  }
  return files;
}

std::optional<PlantedRule> read_rule(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / rule_name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    const nlohmann::json text = parse_json(read_file(path));
    const JsonValue rule(text, "the rule");
    const auto version = rule.at("version").integer<std::int64_t>();
    require(version == rule_version, "version ", version, " is unknown, expected ", rule_version);
    return PlantedRule(static_cast<std::uint64_t>(rule.at("seed").integer<std::int64_t>(0)));
  } catch (const Error& error) {
    fail(path.string(), ": not the rule of generated days: ", error.what());
  }
}

}  // namespace

DaysOfRun generated_days(const RankingConfig& config) {
  const std::int64_t train = config.days - config.held_out;
  const auto seed = static_cast<std::uint64_t>(config.seed);
  return {.train = std::make_unique<GeneratedDays>(seed, 0, train, config.day_samples),
          .held_out = std::make_unique<GeneratedDays>(seed, train, config.held_out, config.day_samples)};
}

DaysOfRun open_days(const std::filesystem::path& folder, const RankingConfig& config, bool tolerant) {
  std::vector<std::filesystem::path> train;
  for (auto& [number, file] : files_of_days(folder)) train.push_back(file);
  if (train.empty())
    fail("cannot train on ", folder.string(),
         ": it has no days, which are files named day_0, day_1.gz and so on; --write-data ", folder.string(),
         " makes some");
  if (std::ssize(train) <= config.held_out)
    fail("cannot train on ", folder.string(), ": it has ", train.size(), " days, of which ", config.held_out,
         " are held out (--held-out)");
  const std::vector<std::filesystem::path> held_out(train.end() - config.held_out, train.end());
  train.resize(train.size() - held_out.size());
  const std::optional<PlantedRule> rule = read_rule(folder);
  return {.train = std::make_unique<FileDays>(std::move(train), rule, tolerant),
          .held_out = std::make_unique<FileDays>(held_out, rule, tolerant)};
}

std::int64_t chunk_count(const RankingConfig& config) {
  return config.days * ((config.day_samples + chunk_samples - 1) / chunk_samples);
}

void write_days(const std::filesystem::path& folder, const RankingConfig& config, bool compressed, int workers,
                const std::function<bool()>& done) {
  make_folder(folder);
  if (!files_of_days(folder).empty())
    fail("cannot write days into ", folder.string(), ": it has some already; name another folder, or remove them");
  const PlantedRule rule(static_cast<std::uint64_t>(config.seed));
  const std::int64_t chunks_of_day = chunk_count(config) / config.days;
  data::Prefetch<std::string> chunks(
      [&](std::int64_t index) {
        const std::int64_t day = index / chunks_of_day, first = index % chunks_of_day * chunk_samples;
        std::string text;
        for (std::int64_t i = first; i < std::min(first + chunk_samples, config.day_samples); ++i)
          print_sample(rule.sample(day, i), text);
        return compressed ? data::gzip(text) : text;
      },
      {.workers = workers, .ahead = std::max(2, 2 * workers), .end = chunk_count(config)});
  write_file(folder / rule_name, print_json(nlohmann::json{{"version", rule_version}, {"seed", config.seed}}) + "\n");
  for (std::int64_t day = 0; day < config.days; ++day) {
    AtomicFile file(folder);
    for (std::int64_t chunk = 0; chunk < chunks_of_day; ++chunk) {
      file.write(chunks.next());
      if (!done()) return;
    }
    file.commit(concat("day_", day, compressed ? ".gz" : ""));
  }
}

}  // namespace weft::ranking
