#include <weft/cli/lab/captioner.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <limits>

#include <weft/base/metrics.h>
#include <weft/cli/lab/captioner_steps.h>
#include <weft/compiler/cache/temporary_cache.h>
#include <weft/jit/compile.h>
#include <weft/jit/dynamic.h>
#include <weft/tensor/sync.h>
#include <weft/train/caption_evaluation.h>
#include <weft/train/captioner_data.h>
#include <weft/train/captioner_trainer.h>

namespace weft::cli::lab {

namespace {

using Clock = std::chrono::steady_clock;
using data::CaptionBatch;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Ends whatever is measured.
struct Interrupted {};
using Check = std::function<void()>;  // throws it

constexpr std::int64_t alignment = 8, bucket_count = 8;

// A way to run the training, one row of a table.
struct Way {
  std::string table, name, padding;
  std::function<CaptionStep(const SharedTask&)> make;
  Stance stance = Stance::standard;
  bool marks = false;        // says that the length is dynamic
  bool all_buckets = false;  // begins with a batch of every bucket, as the article proposes; most are compiled ahead
};

std::vector<std::int64_t> buckets_of(std::int64_t context) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 1; i <= bucket_count; ++i)
    sizes.push_back(std::max<std::int64_t>(i, i * context / bucket_count));
  return sizes;
}

std::string text_of(const std::vector<std::int64_t>& buckets) {
  std::string text = "buckets:";
  for (const std::int64_t size : buckets) text += concat(size == buckets.front() ? "" : ",", size);
  return text;
}

std::vector<Way> ways(const train::CaptionerConfig& config) {
  const auto options = [](Mode mode, Dynamic dynamic) {
    return CompileOptions{.fullgraph = true, .mode = mode, .dynamic = dynamic};
  };
  const auto by = [](auto make, auto... given) { return [=](const SharedTask& task) { return make(task, given...); }; };
  const CompileOptions off = options(Mode::standard, Dynamic::off);
  const auto whole = [&](Mode mode, Dynamic dynamic) { return by(whole_step, options(mode, dynamic)); };
  const std::string fixed = "fixed", longest = "longest", aligned = concat("multiple:", alignment),
                    buckets = text_of(buckets_of(config.sizes.context));
  const Mode tuned = Mode::max_autotune, tuned_only = Mode::max_autotune_no_replay;
  const CompileOptions automatic = options(Mode::standard, Dynamic::automatic);
  return {
      {"static", "eager", fixed, whole(Mode::standard, Dynamic::off), Stance::force_eager},
      {"static", "compiled model", fixed, by(model_step, off)},
      {"static", "compiled optimizer", fixed, by(model_and_optimizer_step, off)},
      {"static", "foreach_map optimizer", fixed, by(foreach_map_step, off)},
      {"static", "whole step", fixed, whole(Mode::standard, Dynamic::off)},
      {"static", "whole step, reduce_overhead", fixed, whole(Mode::reduce_overhead, Dynamic::off)},
      {"static", "whole step, max_autotune_no_replay", fixed, whole(tuned_only, Dynamic::off)},
      {"static", "whole step, max_autotune", fixed, whole(tuned, Dynamic::off)},
      {"dynamic", "eager", longest, whole(Mode::standard, Dynamic::off), Stance::force_eager},
      {"dynamic", "pad to longest", longest, whole(Mode::standard, Dynamic::automatic)},
      {"dynamic", "marked dynamic", aligned, whole(Mode::standard, Dynamic::automatic), Stance::standard, true},
      {"dynamic", "marked dynamic, max_autotune", aligned, whole(tuned, Dynamic::automatic), Stance::standard, true},
      {"dynamic", "dynamic on", aligned, whole(Mode::standard, Dynamic::on)},
      {"dynamic", "dynamic on, max_autotune_no_replay", aligned, whole(tuned_only, Dynamic::on)},
      {"dynamic", "eight buckets", buckets, whole(Mode::standard, Dynamic::off), Stance::standard, false, true},
      {"dynamic", "eight buckets, max_autotune", buckets, whole(tuned, Dynamic::off), Stance::standard, false, true},
      {"dynamic", "modular", aligned, by(modular_step, off, automatic)},
      {"dynamic", "modular, encoder max_autotune", aligned, by(modular_step, options(tuned, Dynamic::off), automatic)},
      {"warmup", "cold", aligned, whole(Mode::standard, Dynamic::automatic), Stance::standard, true},
      {"warmup", "cached", aligned, whole(Mode::standard, Dynamic::automatic), Stance::standard, true},
      {"warmup", "regional", aligned, by(regional_step, automatic)},
  };
}

CaptionBatch padded_batch(const train::CaptionerConfig& config, std::int64_t length) {
  const train::CaptionSource source = train::caption_source(config, data::Split::held_out, config.batch);
  std::vector<data::CaptionedImage> samples;
  for (std::int64_t i = 0; i < config.batch; ++i) {
    samples.push_back(source[i]);
    std::vector<std::int32_t>& caption = samples.back().caption;
    if (static_cast<std::int64_t>(caption.size()) > length) caption.resize(static_cast<std::size_t>(length));
  }
  return data::CaptionCollator(data::PaddingPolicy::fixed(length))(samples);
}

CaptionerRow measure(const Way& way, const CaptionerOptions& options, const Check& check) {
  clear_graph_cache();
  train::CaptionerConfig config = options.config;
  if (way.padding.starts_with("multiple") && config.sizes.context % alignment != 0) {
    config.padding = "longest";  // captions so short that there is nothing to align
  } else {
    config.padding = way.padding;
  }
  const auto task = std::make_shared<CaptionerTask>(config);
  const CaptionStep step = way.make(task);
  train::CaptionBatches batches(config, 1);
  weft::sync();
  const StanceScope stance(way.stance);
  const data::PaddingPolicy padding = train::padding_policy(config.padding, config.sizes.context);
  const auto run = [&](const CaptionBatch& batch) {
    check();
    if (way.marks || padding.buckets()) train::mark_lengths(batch, padding, config.sizes.context);
    step(batch);
    weft::sync();
  };
  CaptionerRow row{.table = way.table, .name = way.name};
  const auto run_next = [&] {
    const CaptionBatch batch = batches.next();
    row.lengths.push_back(batch.tokens.size(1));
    run(batch);
  };
  auto start = Clock::now();
  if (way.all_buckets)
    for (const std::int64_t length : buckets_of(config.sizes.context)) run(padded_batch(config, length));
  for (std::int64_t i = 0; i < options.warm_up; ++i) run_next();
  synchronize();
  row.first_steps_s = seconds_since(start);
  const std::uint64_t compiles = metrics::uncached_compile.value();
  start = Clock::now();
  for (std::int64_t i = 0; i < options.steps; ++i) run_next();
  synchronize();
  row.steps_per_s = static_cast<double>(options.steps) / seconds_since(start);
  row.recompiles_in_window = metrics::uncached_compile.value() - compiles;
  return row;
}

// A device that accepts launches and makes nothing of them, for what does not depend on values.
class PretendedDevice {
 public:
  PretendedDevice() : device_(options()), before_(&weft::device()) { set_device(device_); }
  ~PretendedDevice() { set_device(*before_); }
  PretendedDevice(const PretendedDevice&) = delete;
  PretendedDevice& operator=(const PretendedDevice&) = delete;

 private:
  static runtime::DeviceOptions options() {
    runtime::DeviceOptions options;
    options.simulated = true;
    options.run_ahead_launches = std::numeric_limits<int>::max();
    options.run_ahead_bytes = std::numeric_limits<std::uint64_t>::max();
    return options;
  }
  runtime::Device device_;
  runtime::Device* before_;
};

auto compiled_step(CaptionerTask& task) {
  return compile([&task](const CaptionBatch& batch) { return task.step(batch); },
                 {.fullgraph = true, .dynamic = Dynamic::off});
}

// The whole step, compiled for a device that does not run it.
struct CompiledStep {
  explicit CompiledStep(const train::CaptionerConfig& config)
      : task(config), batch(padded_batch(config, config.sizes.context)), step(compiled_step(task)) {
    weft::sync();
    step(batch);
  }

  PretendedDevice device;
  CaptionerTask task;
  CaptionBatch batch;
  decltype(compiled_step(task)) step;
};

double compile_seconds(train::CaptionerConfig config, std::int64_t layers) {
  clear_graph_cache();
  if (layers > 0) config.sizes.encoder_layers = config.sizes.decoder_layers = layers;
  return 1e-3 * CompiledStep(config).step.explain().programs.front().compile_ms;
}

// What a call costs the host: the least of many single calls, which take turns. The device's thread, which takes them, may be on
// the same core, and then what several of them take together says little.
template <std::size_t N>
std::array<double, N> microseconds(const std::array<std::function<void()>, N>& calls) {
  constexpr int times = 5000, ahead = 10;
  std::array<double, N> least;
  least.fill(std::numeric_limits<double>::infinity());
  for (int time = 0; time < times; ++time) {
    for (std::size_t i = 0; i < N; ++i) {
      const auto start = Clock::now();
      calls[i]();
      least[i] = std::min(least[i], 1e6 * seconds_since(start));
    }
    if (time % ahead == 0) synchronize();
  }
  return least;
}

GuardCost guard_cost(const train::CaptionerConfig& config) {
  const CompiledStep whole(config);
  const auto pinned = whole.step.pinned();
  const auto [guarded, replayed] = microseconds<2>({[&] { whole.step(whole.batch); }, [&] { pinned(whole.batch); }});
  return {.us_per_call = std::max(0.0, guarded - replayed), .tensors = whole.step.explain().programs.front().inputs};
}

double train_on_shapes(const CaptionerOptions& options, const Check& check) {
  train::CaptionerConfig config = train::captioner_preset("small", "shapes")->config;
  config.fit_schedule(options.train_steps);
  train::CaptionerTrainer trainer(config);
  train::CaptionBatches batches(config, 1);
  Future<double> loss;
  for (std::int64_t step = 0; step < options.train_steps; ++step) {
    check();
    if (loss.valid()) loss.wait();
    loss = trainer.step(step, batches.next(), config.learning_rate(step));
  }
  return train::evaluate_captions(trainer, config, 512, 0,
                                  [&] {
                                    check();
                                    return false;
                                  })
      .accuracy;
}

std::vector<Way> chosen_ways(const CaptionerOptions& options) {
  std::vector<Way> all = ways(options.config);
  for (const std::string& row : options.rows)
    require(std::ranges::find(all, row, &Way::name) != all.end(), "lab captioner: there is no row ", row);
  std::erase_if(all, [&](const Way& way) {
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
  const compiler::TemporaryCache cache;
  const Check check = [&] {
    if (stopped()) throw Interrupted{};
  };
  const auto cold = [&](std::int64_t layers) {
    check();
    cache.empty();
    return compile_seconds(options.config, layers);
  };
  const auto cached = [&] {
    check();
    return compile_seconds(options.config, 0);
  };
  const std::vector<Way> chosen = chosen_ways(options);
  report.rows.reserve(chosen.size());
  try {
    const CaptionerRow* baseline = nullptr;
    for (const Way& way : chosen) {
      begins(way.table + ", " + way.name);
      if (way.name != "cached") cache.empty();
      report.rows.push_back(measure(way, options, check));
      CaptionerRow& row = report.rows.back();
      if (baseline == nullptr || baseline->table != row.table) baseline = &row;
      row.ratio =
          row.table == "warmup" ? baseline->first_steps_s / row.first_steps_s : row.steps_per_s / baseline->steps_per_s;
    }
    begins("compile times");
    report.compile_s = CompileSeconds{.cold = cold(0), .cached = cached(), .layers_2 = cold(2), .layers_12 = cold(12)};
    check();
    begins("guards");
    report.guards = guard_cost(options.config);
    if (options.train_steps > 0) {
      begins("training on shapes");
      report.caption_accuracy = train_on_shapes(options, check);
    }
  } catch (const Interrupted&) {
  }
  return report;
}

}  // namespace weft::cli::lab
