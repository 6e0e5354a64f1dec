#include <apps/lab/captioner.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include <apps/captioner/caption_evaluation.h>
#include <apps/captioner/captioner_data.h>
#include <apps/captioner/captioner_trainer.h>
#include <apps/lab/captioner_ways.h>
#include <weft/base/metrics.h>
#include <weft/compiler/cache/temporary_cache.h>
#include <weft/jit/compile.h>
#include <weft/jit/dynamic.h>
#include <weft/record/sync.h>
#include <weft/runtime/parallel.h>
#include <weft/runtime/simulated/simulated_device.h>
#include <weft/train/step_clock.h>

namespace weft::lab {

namespace {

using Clock = std::chrono::steady_clock;
using captioner::CaptionBatch;

// Thrown to end the current measurement.
struct Interrupted {};
using Check = std::function<void()>;  // throws Interrupted if stopped

// Sets the ratio of each row to the first row of its table.
void compare(std::vector<CaptionerRow>& rows) {
  const CaptionerRow* baseline = nullptr;
  for (CaptionerRow& row : rows) {
    if (baseline == nullptr || baseline->table != row.table) baseline = &row;
    if (row.table == "warmup") {
      row.ratio = baseline->first_steps_s / row.first_steps_s;
    } else if (row.steps_per_s) {
      row.ratio = *row.steps_per_s / *baseline->steps_per_s;
    }
  }
}

CaptionBatch padded_batch(const captioner::CaptionerConfig& config, std::int64_t length) {
  const captioner::CaptionSource source = captioner::caption_source(config, captioner::Split::held_out, config.batch);
  std::vector<captioner::CaptionedImage> samples;
  for (std::int64_t i = 0; i < config.batch; ++i) {
    samples.push_back(source[i]);
    std::vector<std::int32_t>& caption = samples.back().caption;
    if (std::ssize(caption) > length) caption.resize(length);
  }
  return captioner::CaptionCollator(data::PaddingPolicy::fixed(length))(samples);
}

// The training of one row. The rows of a table share one set of weights, because memory does not suffice for several at full
// size.
class RowTraining {
 public:
  RowTraining(const CaptionerWay& way, const captioner::CaptionerConfig& base, const SharedTask& task,
              const Check& check, CaptionerRow& row)
      : way_(way),
        config_(padded(base, way)),
        padding_(captioner::padding_policy(config_.padding, config_.sizes.context)),
        step_(way.make(task)),
        check_(check),
        row_(row),
        batches_(config_, std::max(1, runtime::thread_count() / 4)) {}

  // Trains on `steps` batches, after one batch of every bucket if the row has all_buckets. Returns the duration in seconds.
  double begin(std::int64_t steps) {
    row_.lengths.clear();
    double seconds = 0;
    const auto start = Clock::now();
    if (way_.all_buckets)
      for (const std::int64_t length : buckets_of(config_.sizes.context)) step(padded_batch(config_, length));
    seconds = train::seconds_since(start);
    for (std::int64_t i = 0; i < steps; ++i) {
      const std::vector<CaptionBatch> loaded = load(1);
      const auto loaded_at = Clock::now();
      run(loaded);
      seconds += train::seconds_since(loaded_at);
    }
    return seconds;
  }

  // The time does not include loading.
  void take_timed_steps(std::int64_t steps) {
    const std::vector<CaptionBatch> loaded = load(steps);
    const std::uint64_t compiles = metrics::uncached_compile.value();
    const auto start = Clock::now();
    run(loaded);
    seconds_ += train::seconds_since(start);
    timed_ += steps;
    row_.recompiles_in_window += metrics::uncached_compile.value() - compiles;
    row_.steps_per_s = timed_ / seconds_;
  }

 private:
  static captioner::CaptionerConfig padded(captioner::CaptionerConfig config, const CaptionerWay& way) {
    config.padding = way.padding;
    return config;
  }

  std::vector<CaptionBatch> load(std::int64_t steps) {
    std::vector<CaptionBatch> loaded;
    for (std::int64_t i = 0; i < steps; ++i) {
      loaded.push_back(batches_.next());
      row_.lengths.push_back(loaded.back().tokens.size(1));
      loaded.back().images.buffer()->wait();  // it is being copied to the device
    }
    return loaded;
  }

  void run(const std::vector<CaptionBatch>& loaded) {
    for (const CaptionBatch& batch : loaded) step(batch);
    synchronize();
  }

  void step(const CaptionBatch& batch) {
    check_();
    const StanceScope stance(way_.stance);
    if (way_.marks || padding_.buckets()) captioner::mark_lengths(batch, padding_, config_.sizes.context);
    step_(batch);
    weft::sync();
  }

  const CaptionerWay& way_;
  captioner::CaptionerConfig config_;
  data::PaddingPolicy padding_;
  CaptionStep step_;
  const Check& check_;
  CaptionerRow& row_;
  captioner::CaptionBatches batches_;
  double seconds_ = 0;
  std::int64_t timed_ = 0;
};

// Alternates between the rows, so that changes of the machine's speed affect all of them equally.
void take_turns(std::span<const std::unique_ptr<RowTraining>> trainings, std::int64_t steps) {
  constexpr std::int64_t turns = 10;
  for (std::int64_t turn = 0; turn < turns; ++turn)
    if (const std::int64_t some = (turn + 1) * steps / turns - turn * steps / turns; some > 0)
      for (const auto& training : trainings) training->take_timed_steps(some);
}

// A device that accepts launches but does not execute them, for measurements that do not depend on values.
class PretendedDevice {
 public:
  PretendedDevice() : device_({}, options()), before_(&weft::device()) { set_device(device_); }
  ~PretendedDevice() { set_device(*before_); }
  PretendedDevice(const PretendedDevice&) = delete;
  PretendedDevice& operator=(const PretendedDevice&) = delete;

 private:
  static runtime::DeviceOptions options() {
    runtime::DeviceOptions options;
    options.run_ahead_launches = std::numeric_limits<int>::max();
    options.run_ahead_bytes = std::numeric_limits<std::uint64_t>::max();
    return options;
  }
  runtime::SimulatedDevice device_;
  runtime::Device* before_;
};

auto compiled_step(CaptionerTask& task) {
  return compile([&task](const CaptionBatch& batch) { return task.step(batch); },
                 {.fullgraph = true, .dynamic = Dynamic::off});
}

// The whole step, compiled for a device that does not execute it.
struct CompiledStep {
  explicit CompiledStep(const captioner::CaptionerConfig& config)
      : task(config), batch(padded_batch(config, config.sizes.context)), step(compiled_step(task)) {
    weft::sync();
    step(batch);
  }

  PretendedDevice device;
  CaptionerTask task;
  CaptionBatch batch;
  decltype(compiled_step(task)) step;
};

double compile_seconds(captioner::CaptionerConfig config, std::int64_t layers) {
  clear_graph_cache();
  if (layers > 0) config.sizes.encoder_layers = config.sizes.decoder_layers = layers;
  return 1e-3 * CompiledStep(config).step.explain().programs.front().compile_ms;
}

// Returns the host time of each call: the minimum over many single calls, which alternate. The device's thread may share a core
// with the host, so the time of several calls together would tell little.
template <std::size_t N>
std::array<double, N> microseconds(const std::array<std::function<void()>, N>& calls) {
  constexpr int times = 5000, ahead = 10;
  std::array<double, N> least;
  least.fill(std::numeric_limits<double>::infinity());
  for (int time = 0; time < times; ++time) {
    for (std::size_t i = 0; i < N; ++i) {
      const auto start = Clock::now();
      calls[i]();
      least[i] = std::min(least[i], 1e6 * train::seconds_since(start));
    }
    if (time % ahead == 0) synchronize();
  }
  return least;
}

GuardCost guard_cost(const captioner::CaptionerConfig& config) {
  const CompiledStep whole(config);
  const auto pinned = whole.step.pinned();
  const auto [guarded, replayed] = microseconds<2>({[&] { whole.step(whole.batch); }, [&] { pinned(whole.batch); }});
  return {.us_per_call = std::max(0.0, guarded - replayed), .tensors = whole.step.explain().programs.front().inputs};
}

double train_on_shapes(const CaptionerOptions& options, const Check& check) {
  captioner::CaptionerConfig config = captioner::captioner_preset("small", "shapes")->config;
  config.fit_schedule(options.train_steps);
  captioner::CaptionerTrainer trainer(config);
  captioner::CaptionBatches batches(config, 1);
  Future<double> loss;
  for (std::int64_t step = 0; step < options.train_steps; ++step) {
    check();
    if (loss.valid()) loss.wait();
    loss = trainer.step(step, batches.next(), config.learning_rate(step));
  }
  return captioner::evaluate_captions(trainer, config, 512, 0,
                                      [&] {
                                        check();
                                        return false;
                                      })
      .accuracy;
}

std::vector<CaptionerWay> chosen_ways(const CaptionerOptions& options) {
  std::vector<CaptionerWay> all = captioner_ways(options.config.sizes.context);
  for (const std::string& row : options.rows)
    require(std::ranges::find(all, row, &CaptionerWay::name) != all.end(), "lab captioner: there is no row ", row);
  std::erase_if(all, [&](const CaptionerWay& way) {
    return (!options.table.empty() && way.table != options.table) ||
           (!options.rows.empty() && std::ranges::find(options.rows, way.name) == options.rows.end());
  });
  return all;
}

}  // namespace

CaptionerReport measure_captioner(const CaptionerOptions& options,
                                  const std::function<void(const std::string& what)>& begins,
                                  const std::function<bool()>& stopped) {
  CaptionerReport report;
  std::optional<compiler::TemporaryCache> cache;
  if (!options.uses_kept_kernels) cache.emplace();
  const Check check = [&] {
    if (stopped()) throw Interrupted{};
  };
  const auto cold = [&](std::int64_t layers) {
    check();
    cache->empty();
    return compile_seconds(options.config, layers);
  };
  const auto cached = [&] {
    check();
    return compile_seconds(options.config, 0);
  };
  // Alternates, because other work on the machine may take as long as a compile.
  const auto least_compile_seconds = [&] {
    constexpr int times = 5;
    CompileSeconds least;
    const auto keep = [](double& kept, double seconds) { kept = kept == 0 ? seconds : std::min(kept, seconds); };
    for (int time = 0; time < times; ++time) {
      keep(least.cold, cold(0));
      keep(least.cached, cached());
      keep(least.layers_2, cold(2));
      keep(least.layers_12, cold(12));
    }
    return least;
  };
  const auto measure_table = [&](std::span<const CaptionerWay> ways, std::vector<CaptionerRow>& rows) {
    const auto task = std::make_shared<CaptionerTask>(options.config);
    synchronize();
    const auto training_of = [&](const CaptionerWay& way, CaptionerRow& row) {
      return std::make_unique<RowTraining>(way, options.config, task, check, row);
    };
    for (const CaptionerWay& way : ways) {
      begins(way.table + ", " + way.name);
      if (cache && !way.finds_the_cache) cache->empty();
      clear_graph_cache();
      CaptionerRow& row = rows.emplace_back(CaptionerRow{.table = way.table, .name = way.name});
      row.first_steps_s = training_of(way, row)->begin(options.warm_up);
    }
    begins(ways.front().table + ", in turns");
    std::vector<std::unique_ptr<RowTraining>> trainings;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      trainings.push_back(training_of(ways[i], rows[rows.size() - ways.size() + i]));
      trainings.back()->begin(options.warm_up);
    }
    take_turns(trainings, options.steps);
  };
  const std::vector<CaptionerWay> chosen = chosen_ways(options);
  report.rows.reserve(chosen.size());
  try {
    for (auto first = chosen.begin(); first != chosen.end();) {
      const auto end = std::find_if(first, chosen.end(), [&](const auto& way) { return way.table != first->table; });
      measure_table({first, end}, report.rows);
      first = end;
    }
    if (options.rows.empty() && cache) {
      begins("compile times");
      report.compile_s = least_compile_seconds();
      check();
      begins("guards");
      report.guards = guard_cost(options.config);
    }
    if (options.train_steps > 0) {
      begins("training on shapes");
      report.caption_accuracy = train_on_shapes(options, check);
    }
  } catch (const Interrupted&) {
    std::erase_if(report.rows, [](const CaptionerRow& row) { return row.first_steps_s == 0; });
  }
  compare(report.rows);
  return report;
}

}  // namespace weft::lab
