#include <weft/cli/train_ranking_options.h>

#include <algorithm>

#include <CLI/CLI.hpp>

#include <apps/ranking/day_folder.h>
#include <apps/ranking/ranking_trainer.h>
#include <weft/base/error.h>
#include <weft/cli/config_flags.h>
#include <weft/cli/options.h>
#include <weft/train/progress.h>

namespace weft::cli {

TrainRankingParser::TrainRankingParser(CLI::App& command, TrainRankingOptions& options)
    : command_(command), options_(options) {
  add_text(command, "--data", options.data, "a folder",
           "days to train on: files day_0, day_1.gz, ... in Criteo's format; default: they are generated");
  command.add_flag("--tolerant", options.tolerant, "skip malformed lines of these files and count them");
  add_text(command, "--write-data", options.write_data, "a folder",
           "write the generated days as files for --data, and exit");
  command.add_flag("--gzip", options.gzip, "compress the files of --write-data");
  declare_fields(command, flags_);
  declare_train_options(command, options);
  command.get_option("--steps")->description(
      "training steps, including those before a resume; default: the days are read once, or those of the resumed run");
  command.get_option("--mesh")->description(
      "run on logical devices: data=4 divides the batch and the tables; default: one device");
  add_text(command, "--table-folder", options.table_folder, "a folder",
           "keep the tables in files there, with a cache of --load-factor in memory; default: they are in memory");
  add_text(command, "--sharding", options.sharding, "a kind",
           "how tables are divided on a mesh: data_parallel, table_wise, column_wise, row_wise, or auto, by a planner; "
           "default: auto");
  add_integer(command, "--workers", options.workers,
              "threads that load batches; 0: batches are loaded between steps; default: 1", {0, 256});
  add_integer(command, "--evaluate", options.evaluate, "held-out samples to evaluate, the first ones; default: all",
              {1, std::int64_t{1} << 40});
}

std::int64_t TrainRankingParser::steps_of_a_pass(const ranking::RankingConfig& config) const {
  const ranking::DaysOfRun days = options_.data.empty() ? ranking::generated_days(config)
                                                        : ranking::open_days(options_.data, config, options_.tolerant);
  train::Progress progress("count", 0, 0, train::Progress::standard_error(train::Progress::rarely));
  const std::int64_t samples =
      days.train->count_samples([&](std::int64_t counted) { progress.update(counted, [] { return "samples"; }); });
  return std::max<std::int64_t>(1, (samples + config.batch - 1) / config.batch);
}

void TrainRankingParser::resolve() {
  const auto wrong = [](const std::string& message) { throw CLI::ValidationError(message); };
  const train::Settings flags = given_fields(command_, flags_);
  const auto exclude = [&](const char* flag, std::initializer_list<const char*> others) {
    for (const char* other : others)
      if (command_.count(other) > 0) wrong(concat(flag, " does not go together with ", other));
  };
  if (!options_.write_data.empty()) exclude("--write-data", {"--data", "--save", "--resume", "--steps", "--mesh"});
  if (!options_.data.empty()) exclude("--data", {"--days", "--day-samples"});
  if (options_.gzip && options_.write_data.empty())
    wrong("--gzip compresses the files of --write-data, which is missing");
  if (options_.tolerant && options_.data.empty()) wrong("--tolerant is about the lines of --data, which is missing");

  ranking::RankingPreset preset{{}, 1};
  if (options_.steps == 0 && options_.resume.empty() && options_.write_data.empty()) {
    TrainOptions of_one_step = options_;
    const auto config = resolve_config(of_one_step, preset, false, flags);
    preset.steps = steps_of_a_pass(config);
  }
  const ranking::RankingConfig& config = options_.config = resolve_config(options_, preset, false, flags);
  if (options_.data.empty() && options_.resume.empty() && options_.write_data.empty() && config.days <= config.held_out)
    wrong(concat("--days must be more than the held-out ones, got ", config.days, " of which ", config.held_out,
                 " are held out"));
  if (!options_.table_folder.empty())
    exclude("--table-folder, whose tables are on one device,", {"--mesh", "--sharding", "--write-data"});
  if (options_.resume.empty() && config.has_stored_tables() != !options_.table_folder.empty())
    wrong(options_.table_folder.empty()
              ? "--load-factor is about the tables of --table-folder, which is missing"
              : "--table-folder needs --load-factor, the share of the rows that memory holds, such as 0.25");
  resolve_parallelism(options_, config.batch);
  try {
    ranking::sharding_named(options_.sharding);
  } catch (const Error& error) {
    wrong(led_by_flag(error.what()));
  }
  if (const auto& mesh = options_.parallelism.mesh;
      mesh && (mesh->axes().size() != 1 || mesh->axes()[0].name != "data"))
    wrong("--mesh: batches and tables are divided along the axis data alone, such as data=4");
}

}  // namespace weft::cli
