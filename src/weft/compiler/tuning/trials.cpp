#include <weft/compiler/tuning/trials.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include <weft/base/error.h>
#include <weft/base/log.h>
#include <weft/compiler/cache/entry.h>
#include <weft/compiler/cache/tiered_cache.h>
#include <weft/runtime/own_threads.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

namespace {

struct Runner {
  const Trial* trial;
  std::function<void()> once;
  double best_ms = std::numeric_limits<double>::infinity();

  // Runs once and returns the time in ms.
  double run() {
    const auto start = std::chrono::steady_clock::now();
    once();
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    best_ms = std::min(best_ms, ms);
    return ms;
  }
};

// Prepares the trials that can be done and runs each once, to warm the caches.
std::vector<Runner> prepare(std::span<const Trial> trials) {
  std::vector<Runner> runners;
  for (const Trial& trial : trials) {
    try {
      Runner runner{&trial, trial.prepare()};
      runner.once();
      runners.push_back(std::move(runner));
    } catch (const Error& error) {
      WEFT_LOG(autotuning, trial.name, " cannot be done: ", error.what());
    }
  }
  return runners;
}

// Measures in turns, so that a temporary slowdown of the machine affects all trials equally.
void measure(std::vector<Runner>& runners) {
  constexpr double enough_ms = 10;  // for each trial
  constexpr int most_rounds = 50, least_rounds = 3;
  double all = 0;
  for (int i = 0; i < least_rounds || (all < enough_ms * runners.size() && i < most_rounds); ++i)
    for (Runner& runner : runners) all += runner.run();
}

// A trial must take at most this share of the standard one's time, since measurements are not exact.
constexpr double worthwhile_share = 0.9;

Choice choose(std::span<const Trial> trials) {
  std::vector<Runner> runners;
  runtime::run_with_own_threads([&] {
    runners = prepare(trials);
    measure(runners);
  });
  Choice choice{.name = trials.front().name};
  double least = std::numeric_limits<double>::infinity();
  for (const Runner& runner : runners) {
    const bool is_standard = runner.trial == &trials.front();
    choice.told += concat(choice.told.empty() ? "" : ", ", runner.trial->name, ' ', runner.best_ms, " ms");
    if (is_standard || runner.best_ms < least) {
      least = is_standard ? worthwhile_share * runner.best_ms : runner.best_ms;
      choice.name = runner.trial->name;
    }
  }
  return choice;
}

// The choices measured so far, in this process and in earlier ones.
class Choices {
 public:
  static Choices& instance() {
    static Choices choices;
    return choices;
  }

  std::optional<Choice> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    const auto earlier = TieredCache::from_knobs();
    if (!earlier) return std::nullopt;
    const auto stored = earlier.read(choice_name(key));
    if (!stored || stored->size() != 1 || stored->front().key != key) return std::nullopt;
    const auto choice = parse(stored->front().object);
    if (choice) known_[key] = *choice;
    return choice;
  }

  void add(const std::string& key, Choice choice, std::chrono::nanoseconds measured_in) {
    const std::lock_guard lock(mutex_);
    choice.is_known = true;
    keep(text_of(key, choice), measured_in);
    known_[key] = std::move(choice);
  }

  Choice add_unless_known(const std::string& key, const Choice& choice, std::chrono::nanoseconds measured_in,
                          const std::function<bool(const Choice&)>& accepts) {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(key); known != known_.end() && accepts(known->second)) return known->second;
    Choice kept = choice;
    const auto replaces = [&](std::span<const StoredKernel> earlier) {
      const auto stored = parse(earlier.front().object);
      if (!stored || !accepts(*stored)) return true;
      kept = *stored;
      return false;
    };
    keep(text_of(key, choice), measured_in, replaces);
    known_[key] = kept;
    known_[key].is_known = true;
    return kept;
  }

  void add(std::span<const StoredKernel> choices) {
    const std::lock_guard lock(mutex_);
    for (const StoredKernel& stored : choices)
      if (const auto choice = parse(stored.object); choice && known_.try_emplace(stored.key, *choice).second)
        keep(stored);
  }

  std::vector<StoredKernel> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<StoredKernel> all;
    for (const auto& [key, choice] : known_) all.push_back(text_of(key, choice));
    return all;
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    known_.clear();
  }

 private:
  static StoredKernel text_of(const std::string& key, const Choice& choice) {
    return {key, concat(choice.name, ": ", choice.told)};
  }
  static std::optional<Choice> parse(const std::string& text) {
    const auto colon = text.find(": ");
    if (colon == std::string::npos) return std::nullopt;
    return Choice{text.substr(0, colon), text.substr(colon + 2), true};
  }
  static void keep(const StoredKernel& choice, std::chrono::nanoseconds measured_in = {},
                   const Replaces& replaces = {}) {
    if (const auto earlier = TieredCache::from_knobs())
      earlier.write(choice_name(choice.key), {choice}, measured_in, replaces);
  }

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Choice> known_;
};

}  // namespace

Choice fastest(const std::string& site, std::span<const Trial> trials) {
  std::string key = concat("threads ", runtime::thread_count(), '\n');
  for (const Trial& trial : trials) key += concat(trial.name, '\n');
  key += site;
  const auto known = Choices::instance().find(key);
  if (known && std::ranges::find(trials, known->name, &Trial::name) != trials.end()) return *known;
  const auto start = std::chrono::steady_clock::now();
  const Choice choice = choose(trials);
  Choices::instance().add(key, choice, std::chrono::steady_clock::now() - start);
  return choice;
}

std::optional<Choice> known_choice(const std::string& site) { return Choices::instance().find(site); }
Choice keep_choice(const std::string& site, const Choice& choice, std::chrono::nanoseconds measured_in,
                   const std::function<bool(const Choice&)>& accepts) {
  return Choices::instance().add_unless_known(site, choice, measured_in, accepts);
}

std::vector<StoredKernel> known_choices() { return Choices::instance().all(); }
void add_choices(std::span<const StoredKernel> choices) { Choices::instance().add(choices); }
void forget_choices() { Choices::instance().clear(); }

void tell(const std::string& program, const std::string& site, const Choice& choice, Report& report) {
  const std::string line = concat(site, ": ", choice.name, " (", choice.told, choice.is_known ? ", known)" : ")");
  WEFT_LOG(autotuning, program, ": ", line);
  report.choices.push_back(line);
}

std::byte* TrialMemory::filled(Type type) {
  constexpr int about_one = 0x3f;  // in each byte of a float
  std::byte* to = allocate(type.bytes());
  std::memset(to, is_float(type.dtype()) ? about_one : 0, type.bytes());
  return to;
}

}  // namespace weft::compiler
