#include <weft/runtime/thunk_tallies.h>

#include <algorithm>

namespace weft::runtime {

void ThunkTallies::set_on(bool on) {
  const std::lock_guard lock(mutex_);
  if (on) programs_.clear();
  is_on_ = on;
}

void ThunkTallies::add(const std::shared_ptr<const Executable>& executable, std::size_t first,
                       std::span<const std::uint64_t> ns) {
  const std::lock_guard lock(mutex_);
  auto program = std::ranges::find(programs_, executable, &Program::executable);
  if (program == programs_.end())
    program = programs_.insert(program, {executable, std::vector<Tally>(executable->thunks.size())});
  for (std::size_t i = 0; i < ns.size(); ++i) {
    Tally& tally = program->tallies[first + i];
    ++tally.count;
    tally.ns += ns[i];
  }
}

std::vector<ThunkTime> ThunkTallies::times() const {
  const std::lock_guard lock(mutex_);
  std::vector<ThunkTime> times;
  for (const auto& [executable, tallies] : programs_) {
    for (std::size_t i = 0; i < tallies.size(); ++i) {
      const ThunkInfo& info = executable->thunks[i]->info;
      times.push_back({.executable = executable->name,
                       .name = info.name,
                       .category = info.category,
                       .source = info.source,
                       .count = tallies[i].count,
                       .total_ns = tallies[i].ns,
                       .flops = info.flops,
                       .bytes = info.bytes});
    }
  }
  return times;
}

}  // namespace weft::runtime
