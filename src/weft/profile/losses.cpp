#include <weft/profile/losses.h>

#include <algorithm>

namespace weft::profile {

namespace {

struct LossNames {
  std::string_view name, description;
};
constexpr std::array<LossNames, losses> loss_names = {{{"fallback", "operations without a kernel"},
                                                       {"first_run", "first runs of programs"},
                                                       {"contention", "threads waiting for a CPU"},
                                                       {"stolen", "CPUs taken by the hypervisor"},
                                                       {"validation", "validation"},
                                                       {"compile", "compiling"},
                                                       {"checkpoint", "checkpoints"},
                                                       {"hashing", "hashing files"},
                                                       {"input", "waiting for data"},
                                                       {"communication", "collectives that nothing hides"},
                                                       {"idle", "other gaps between executions"},
                                                       {"copied", "copying memory"}}};

constexpr std::size_t index(Loss loss) { return static_cast<std::size_t>(loss); }

}  // namespace

std::string_view name(Loss loss) { return loss_names[index(loss)].name; }
std::string_view description(Loss loss) { return loss_names[index(loss)].description; }

LossParts loss_parts(const Period& period, Loss disturbance) {
  LossParts parts{};
  const auto add = [&parts](Loss loss, std::uint64_t ns) { parts[index(loss)] += ns; };
  add(Loss::fallback, period.slow_for(SlowCause::fallback));
  add(Loss::first_run, period.slow_for(SlowCause::first_run));
  add(Loss::contention, period.slow_for(SlowCause::contention));
  add(Loss::stolen, period.slow_for(SlowCause::stolen));
  add(Loss::validation, period.slow_for(SlowCause::validation) + period.gap_for(GapCause::validation));
  add(Loss::compile, period.gap_for(GapCause::compile));
  add(Loss::checkpoint, period.gap_for(GapCause::checkpoint));
  add(Loss::hashing, period.gap_for(GapCause::hashing));
  add(Loss::input, period.gap_for(GapCause::input));
  add(Loss::communication, period.exposed_ns);
  for (const GapCause cause : {GapCause::transfer, GapCause::launch, GapCause::host})
    add(Loss::idle, period.gap_for(cause));
  add(disturbance, period.gap_for(GapCause::disturbance));
  return parts;
}

double Claimed::per_step(std::size_t steps) const {
  double sum = 0;
  for (const auto& [step, ns] : step_ns) sum += ns;
  return steps == 0 ? 0 : sum / steps;
}

double Claimed::median_per_step(std::size_t steps) const {
  std::vector<std::uint64_t> values(steps - std::min(steps, step_ns.size()));  // zeros for the steps that lost nothing
  for (const auto& [step, ns] : step_ns) values.push_back(static_cast<std::uint64_t>(ns));
  return spread_of(std::move(values)).median;
}

void Claimed::add(const Claimed& more) {
  startup_ns += more.startup_ns;
  for (const auto& [step, ns] : more.step_ns) step_ns[step] += ns;
}

Losses::Losses(const Analysis& analysis, Loss disturbance) {
  const auto add = [&](const Period& period) {
    ends_.push_back(period.end_ns);
    all_.push_back(loss_parts(period, disturbance));
    left_.push_back(all_.back());
    left_.back()[index(Loss::copied)] = period.computing_ns();
  };
  add(analysis.startup);
  for (const StepStats& step : analysis.steps) add(step);
}

Claimed Losses::claim(Loss loss) {
  Claimed claimed;
  for (std::size_t i = 1; i < all_.size(); ++i)
    if (const double ns = take(i, loss, all_[i][index(loss)]); ns > 0) claimed.step_ns[i - 1] = ns;
  return claimed;
}

Claimed Losses::claim(Loss loss, std::uint64_t time_ns, double ns) {
  Claimed claimed;
  const std::size_t found = std::ranges::lower_bound(ends_, time_ns) - ends_.begin();
  if (found == ends_.size()) return claimed;  // after the last step
  for (std::size_t back = 0; back < 2 && back <= found && ns > 0; ++back) {
    const std::size_t i = found - back;
    const double taken = take(i, loss, ns);
    ns -= taken;
    if (i == 0)
      claimed.startup_ns += taken;
    else if (taken > 0)
      claimed.step_ns[i - 1] += taken;
  }
  return claimed;
}

double Losses::take(std::size_t period, Loss loss, double ns) {
  double& left = left_[period][index(loss)];
  const double taken = std::clamp(ns, 0.0, left);
  left -= taken;
  if (loss == Loss::copied && period > 0) copied_ns_ += taken;
  return taken;
}

double Losses::mean_ns(Loss loss) const {
  double sum = 0;
  for (std::size_t i = 1; i < all_.size(); ++i) sum += all_[i][index(loss)];
  return sum / steps();
}

double Losses::left_ns(Loss loss) const {
  if (loss == Loss::copied) return 0;  // time that was not copying counts as computing
  double sum = 0;
  for (std::size_t i = 1; i < left_.size(); ++i) sum += left_[i][index(loss)];
  return sum / steps();
}

}  // namespace weft::profile
