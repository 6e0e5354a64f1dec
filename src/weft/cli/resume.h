// Decides which settings a resumed run takes from its checkpoint and which from its command line.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <variant>

#include <weft/base/error.h>
#include <weft/cli/train_options.h>
#include <weft/train/checkpoint.h>
#include <weft/train/config_settings.h>
#include <weft/train/recipe.h>
#include <weft/train/settings.h>

namespace weft::cli {

// Throws Error if the command line sets a different value than the checkpoint has, except for the schedule.
void require_agreement(const train::Settings& saved, const train::Settings& given, const std::string& place);

// The steps of a run before it is resumed: done so far, and planned in total.
struct StepsBefore {
  std::int64_t done = 0, last = 0;
};

// The checkpoint from which a run goes on.
template <class Config>
struct ResumedRun {
  train::Checkpoint checkpoint;
  std::string place;  // for messages
  Config config;
  train::Settings others;  // settings that are no fields of the config
  StepsBefore before;
};

// Opens the checkpoint of options.resume. `others` are the settings that a run of `command` saves besides its config
// and the number of steps. Throws Error if the checkpoint is of another command, or if the command line contradicts it.
template <class Config>
ResumedRun<Config> open_resumed(const TrainOptions& options, const char* command,
                                std::initializer_list<const char*> others = {}) {
  ResumedRun<Config> run{.checkpoint = train::open_checkpoint(options.resume),
                         .place = "the checkpoint " + options.resume,
                         .config = {},
                         .others = {},
                         .before = {}};
  train::Settings saved = run.checkpoint.config;
  const auto steps = saved.extract("steps");
  for (const char* name : others)
    if (auto other = saved.extract(name)) run.others.insert(std::move(other));
  try {
    run.config = train::config_of<Config>(saved);
    require(steps && std::holds_alternative<std::int64_t>(steps.mapped()), "steps are missing");
    for (const char* name : others) require(run.others.contains(name), "the setting ", name, " is missing");
  } catch (const Error& error) {
    fail(run.place, " is not of ", command, ": ", error.what());
  }
  require_agreement(saved, options.given, run.place);
  run.before = {.done = run.checkpoint.step, .last = std::get<std::int64_t>(steps.mapped())};
  return run;
}

// Returns the last step of a resumed run. The schedule in `config` is the checkpoint's and stays unless flags give
// another one; if the run becomes longer, prints a note on the error stream. Throws Error if the last step is already
// past.
std::int64_t resumed_last_step(train::Recipe& config, const StepsBefore& before, const TrainOptions& options,
                               const std::string& place);

}  // namespace weft::cli
