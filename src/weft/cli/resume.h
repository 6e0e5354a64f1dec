// Decides which settings a resumed run takes from its checkpoint and which from its command line.
#pragma once

#include <cstdint>
#include <string>

#include <weft/cli/train_options.h>
#include <weft/train/recipe.h>
#include <weft/train/settings.h>

namespace weft::cli {

// Throws Error if the command line sets a different value than the checkpoint has, except for the schedule.
void require_agreement(const train::Settings& saved, const train::Settings& given, const std::string& place);

// The steps of a run before it is resumed: done so far, and planned in total.
struct StepsBefore {
  std::int64_t done = 0, last = 0;
};

// Returns the last step of a resumed run. The schedule in `config` is the checkpoint's and stays unless flags give
// another one; if the run becomes longer, prints a note on the error stream. Throws Error if the last step is already
// past.
std::int64_t resumed_last_step(train::Recipe& config, const StepsBefore& before, const TrainOptions& options,
                               const std::string& place);

}  // namespace weft::cli
