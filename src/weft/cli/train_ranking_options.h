// The options of `weft train ranking`.
#pragma once

#include <cstdint>
#include <string>

#include <apps/ranking/ranking_config.h>
#include <weft/cli/train_options.h>

namespace CLI {
class App;
}

namespace weft::cli {

struct TrainRankingOptions : TrainOptions {
  std::string data;               // a folder of days; empty: they are generated
  std::string write_data;         // a folder into which the generated days are written
  bool gzip = false;              // compresses them
  bool tolerant = false;          // malformed lines are skipped
  std::string table_folder;       // for the files of the tables; empty: they are in memory
  std::string sharding = "auto";  // of the tables, on a mesh
  std::int64_t workers = 1;       // threads that load batches
  std::int64_t evaluate = 0;      // held-out samples; 0: all
  ranking::RankingConfig config;  // for a new run
};

// Declares the options on `command` and parses them into `options`, which must outlive the parser.
class TrainRankingParser {
 public:
  TrainRankingParser(CLI::App& command, TrainRankingOptions& options);
  // Interprets the parsed command line. Reads the days to count their samples, unless the number of steps is given.
  // Throws CLI::ValidationError for options that contradict each other, and Error if the days cannot be read.
  void resolve();

 private:
  std::int64_t steps_of_a_pass(const ranking::RankingConfig& config) const;

  CLI::App& command_;
  TrainRankingOptions& options_;
  ranking::RankingConfig flags_;  // the values of the flags for its fields
};

}  // namespace weft::cli
