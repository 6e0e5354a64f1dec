// A folder of days: files named day_0, day_1.gz, day_2.tsv, ... in Criteo's format. If this command made them,
// rule.json says which rule the clicks follow.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include <apps/ranking/ranking_config.h>
#include <apps/ranking/sample_stream.h>

namespace weft::ranking {

// The days of a run.
struct DaysOfRun {
  std::unique_ptr<Days> train, held_out;
};

// Returns days that are generated as they are needed.
DaysOfRun generated_days(const RankingConfig& config);

// Opens a folder; the last config.held_out days are held out. Throws Error, which names the folder, if it cannot be
// read, has too few days, or has a day twice.
DaysOfRun open_days(const std::filesystem::path& folder, const RankingConfig& config, bool tolerant);

// Writes the generated days of a config into a folder that has none, with `workers` threads, whose number changes no
// byte. Calls `done` after each of chunk_count() chunks; stops if it returns false.
void write_days(const std::filesystem::path& folder, const RankingConfig& config, bool compressed, int workers,
                const std::function<bool()>& done);
std::int64_t chunk_count(const RankingConfig& config);

}  // namespace weft::ranking
