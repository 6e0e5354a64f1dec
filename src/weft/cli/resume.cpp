#include <weft/cli/resume.h>

#include <algorithm>
#include <iostream>

#include <weft/base/error.h>

namespace weft::cli {

namespace {

bool is_of_schedule(const std::string& field) {
  return std::ranges::find(train::Recipe::schedule, field, &train::Recipe::Fitted::field) !=
         std::end(train::Recipe::schedule);
}

bool take(const train::Settings& given, const char* field, std::int64_t& value) {
  const auto found = given.find(field);
  if (found == given.end()) return false;
  value = std::get<std::int64_t>(found->second);
  return true;
}

}  // namespace

void require_agreement(const train::Settings& saved, const train::Settings& given, const std::string& place) {
  train::Settings wanted = saved;
  for (const auto& [name, setting] : given)
    if (!is_of_schedule(name)) wanted[name] = setting;
  const std::string different = train::differences(saved, wanted, place, "the command line");
  require(different.empty(), "cannot resume: ", different, "; leave out what differs, or begin anew without --resume");
}

std::int64_t resumed_last_step(train::Recipe& config, const StepsBefore& before, const TrainOptions& options,
                               const std::string& place) {
  const std::int64_t last = options.steps > 0 ? options.steps : before.last;
  require(last >= before.done, "cannot resume: ", place, " has done ", before.done, " steps, more than --steps ", last);
  take(options.given, "warmup", config.warmup);
  const bool is_chosen = take(options.given, "decay_steps", config.decay_steps);
  if (!is_chosen && last > before.last && last > config.decay_steps)
    std::cerr << "note: the learning rate keeps its schedule of " << config.decay_steps << " steps and stays at "
              << config.learning_rate(last) << " after them; --decay-steps " << last << " stretches it" << std::endl;
  return last;
}

}  // namespace weft::cli
