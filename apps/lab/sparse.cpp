#include <apps/lab/sparse.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <random>

#include <weft/base/digest.h>
#include <weft/base/knobs.h>
#include <weft/base/temporary_folder.h>
#include <weft/base/trace.h>
#include <weft/embed/embedding_bags.h>
#include <weft/jit/compile.h>
#include <weft/nn/layers.h>
#include <weft/optim/adagrad.h>
#include <weft/profile/analysis.h>
#include <weft/profile/recorder.h>
#include <weft/profile/recording.h>
#include <weft/profile/report.h>
#include <weft/profile/scope.h>
#include <weft/record/sync.h>
#include <weft/tensor/activation.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/gradient.h>
#include <weft/tensor/loss.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/random.h>
#include <weft/tensor/reduction.h>
#include <weft/tensor/sharding.h>
#include <weft/train/pipeline.h>
#include <weft/train/step_clock.h>

namespace weft::lab {

namespace {

using Clock = std::chrono::steady_clock;
namespace schedule = train::schedule;

constexpr int different_batches = 4;
constexpr int warm_up = 3;

struct Batch {
  embed::KeyedJaggedTensor features, weighted;
  Tensor dense, labels;
  void fields(auto&& field) {
    field("features", features);
    field("weighted", weighted);
    field("dense", dense);
    field("labels", labels);
  }
};

// x * sigmoid(LayerNorm(x))
struct SwishLayerNorm {
  explicit SwishLayerNorm(std::int64_t width) : norm(width) {}
  nn::LayerNorm norm;
  Tensor operator()(const Tensor& x) const { return x * sigmoid(norm(x)); }
  void fields(auto&& field) { field("norm", norm); }
};

struct OverLayer {
  OverLayer(std::int64_t in, std::int64_t out) : linear(in, out), activation(out) {}
  nn::Linear linear;
  SwishLayerNorm activation;
  Tensor operator()(const Tensor& x) const { return activation(linear(x)); }
  void fields(auto&& field) {
    field("linear", linear);
    field("activation", activation);
  }
};

// TorchRec's TestSparseNN.
struct SparseModel {
  embed::EmbeddingBagCollection tables, weighted;
  nn::Linear dense{10, 8};
  std::vector<OverLayer> over = {};

  Tensor operator()(const Batch& x) const {
    Tensor all = concatenate({dense(x.dense), tables(x.features).values(), weighted(x.weighted).values()}, 1);
    for (const OverLayer& layer : over) all = layer(all);
    return mean(all, {1});
  }
  void fields(auto&& field) {
    field("tables", tables);
    field("weighted", weighted);
    field("dense", dense);
    field("over", over);
  }
};

std::vector<std::string> keys_of(std::int64_t first, std::int64_t count) {
  std::vector<std::string> keys;
  for (std::int64_t i = first; i < first + count; ++i) keys.push_back(concat("feature_", i));
  return keys;
}

// Tables lie on one device each, in turn.
embed::EmbeddingBagCollection make_tables(const SparseOptions& o, const Mesh& mesh, std::int64_t first,
                                          std::int64_t count, bool weighted) {
  std::vector<embed::EmbeddingBagConfig> configs;
  embed::ShardingPlan plan{.mesh = mesh, .axes = {"data"}, .tables = {}};
  for (std::int64_t i = first; i < first + count; ++i) {
    configs.push_back({.num_embeddings = o.rows,
                       .embedding_dim = o.width,
                       .name = concat("table_", i),
                       .feature_names = {concat("feature_", i)}});
    plan.tables.push_back({embed::TableSharding::table_wise, {i % o.devices}});
  }
  return embed::EmbeddingBagCollection(std::move(configs), {.is_weighted = weighted, .plan = std::move(plan)});
}

// Bags of about |N(0, 1) + ids| ids, which are spread evenly.
embed::KeyedJaggedTensor random_features(const SparseOptions& o, std::int64_t first, std::int64_t count, bool weighted,
                                         std::mt19937& random) {
  std::normal_distribution<double> normal(static_cast<double>(o.ids), 1);
  std::uniform_int_distribution<std::int64_t> id(0, o.rows - 1);
  std::vector<std::int64_t> ids, lengths;
  for (std::int64_t bag = 0; bag < count * o.batch * o.devices; ++bag) {
    lengths.push_back(static_cast<std::int64_t>(std::abs(normal(random))));
    for (std::int64_t i = 0; i < lengths.back(); ++i) ids.push_back(id(random));
  }
  std::vector<float> weights;
  if (weighted)
    for (std::size_t i = 0; i < ids.size(); ++i) weights.push_back(static_cast<float>(i % 8) / 8);
  return {keys_of(first, count), std::move(ids), lengths,
          weighted ? embed::IdWeights(std::move(weights)) : embed::IdWeights()};
}

std::vector<Batch> make_batches(const SparseOptions& o, const Mesh& mesh) {
  std::vector<Batch> batches;
  const std::int64_t half = o.tables / 2, samples = o.batch * o.devices;
  std::mt19937 random(0);
  for (int i = 0; i < different_batches; ++i) {
    const random::Key key(static_cast<std::uint64_t>(i));
    batches.push_back({random_features(o, 0, half, false, random).sharded("data", mesh),
                       random_features(o, half, o.tables - half, true, random).sharded("data", mesh),
                       random::uniform(key, {samples, 10}), random::bernoulli(key, {samples}, 0.5).to(DType::f32)});
    sync();
    batches.back().dense = batches.back().dense.sharded("data", mesh);
    batches.back().labels = batches.back().labels.sharded("data", mesh);
  }
  return batches;
}

// Trains with one schedule; without one, step by step.
class Training {
 public:
  Training(const SparseOptions& options, const Mesh& mesh, std::span<const Batch> batches)
      : options_(options),
        batches_(batches),
        model_((manual_seed(0), make_model(options, mesh))),
        optimizer_(model_, {.lr = 0.1}) {
    step_.emplace(compile(mesh, Step([this](const Batch& x) {
                            const Tensor loss = binary_cross_entropy_with_logits(model_(x), x.labels);
                            optimizer_.step(grad(loss, optimizer_.parameters()));
                            return loss;
                          }),
                          {.fullgraph = true, .name = "train_step"}));
  }

  SparseRun run(const std::string& name, const std::optional<train::Schedule>& with,
                const std::function<void(const std::string&)>& done) {
    SparseRun made;
    made.schedule = name;
    std::optional<train::Pipeline<Step>> pipeline;
    if (with) pipeline.emplace(*step_, train::PipelineOptions{.schedule = *with});
    std::int64_t next = 0;
    const auto one = [&] {
      const Batch& given = batches_[next++ % different_batches];
      std::optional<Tensor> loss = pipeline ? (*pipeline)(given) : std::optional((*step_)(given));
      if (loss) losses_.push_back(loss->item<float>());
      done(name);
    };
    for (int i = 0; i < warm_up; ++i) one();
    synchronize();
    std::optional<TemporaryFolder> temporary;
    if (options_.output.empty() || !with) temporary.emplace();
    const std::filesystem::path folder = temporary ? temporary->path() : options_.output / name;
    profile::Recorder recorder({.folder = folder, .command = concat("weft lab sparse, ", name)});
    std::vector<double> times;
    for (std::int64_t i = 0; i <= options_.steps; ++i) {
      const profile::Step span(i);
      const Clock::time_point start = Clock::now();
      one();
      if (i > 0) times.push_back(1e3 * train::seconds_since(start));
    }
    synchronize();
    const Status status = recorder.stop();
    require(status.ok(), "lab sparse: ", status.reason());
    const auto steady = pipeline ? pipeline->steady() : nullptr;
    while (pipeline) {
      const std::optional<Tensor> loss = pipeline->finish();
      if (!loss) break;
      losses_.push_back(loss->item<float>());
    }
    std::ranges::sort(times);
    made.step_ms_p50 = times[times.size() / 2];
    made.step_ms_p90 = times[times.size() * 9 / 10];
    const profile::Recording recording = profile::read_recording(folder);
    const profile::Analysis analysis = profile::analyse(recording);
    count(analysis, made);
    if (!temporary)
      for (const std::string& failed : profile::write_report(recording, analysis, folder)) fail("lab sparse: ", failed);
    made.peak_bytes =
        pipeline ? pipeline->peak_bytes() : step_->explain({.remedies = false}).programs.front().peak_bytes;
    if (pipeline) {
      made.told = pipeline->explain();
      if (steady) made.simulated = simulate_schedule(*steady);
    }
    return made;
  }

  // Identifies all losses, parameters and states.
  std::string digest() {
    Digest digest;
    digest.add(std::as_bytes(std::span(losses_)));
    for (const auto& all : {named_parameters(model_), optimizer_.state()})
      for (const NamedParameter& named : all) digest.add(named.parameter->tensor().bytes());
    return digest.hex();
  }

  double busy_ms = 0;  // of the devices in a step, without collectives

 private:
  using Step = std::function<Tensor(const Batch&)>;

  static SparseModel make_model(const SparseOptions& o, const Mesh& mesh) {
    const std::int64_t half = o.tables / 2;
    SparseModel model{make_tables(o, mesh, 0, half, false), make_tables(o, mesh, half, o.tables - half, true)};
    std::int64_t width = 8 + o.tables * o.width;
    for (std::int64_t i = 0; i < o.layers; ++i) model.over.emplace_back(std::exchange(width, o.hidden), o.hidden);
    return model;
  }

  void count(const profile::Analysis& analysis, SparseRun& made) {
    const double steps = static_cast<double>(options_.steps + 1);
    made.communication_ms = 1e-6 * static_cast<double>(analysis.communication_ns) / steps;
    made.exposed_ms = 1e-6 * static_cast<double>(analysis.exposed_ns) / steps;
    made.idle_share =
        static_cast<double>(analysis.wall_ns() - analysis.busy_ns) / static_cast<double>(analysis.wall_ns());
    busy_ms = 1e-6 * static_cast<double>(analysis.busy_ns - analysis.exposed_ns) / steps;
  }

  const SparseOptions& options_;
  std::span<const Batch> batches_;
  SparseModel model_;
  optim::Adagrad optimizer_;
  std::optional<Compiled<Step>> step_;
  std::vector<float> losses_;
};

struct NamedSchedule {
  const char* name;
  train::Schedule schedule;
  std::int64_t stale_steps = 0;
};

std::vector<NamedSchedule> schedules() {
  return {{"base", schedule::base()},
          {"sparse_dist", schedule::sparse_dist()},
          {"fused_sparse_dist", schedule::fused_sparse_dist()},
          {"prefetch", schedule::prefetch()},
          {"semi_sync", schedule::semi_sync(), 1},
          {"best_exact", schedule::exact()}};
}

}  // namespace

SparseOptions SparseOptions::full() {
  return {.devices = 2,
          .tables = 200,
          .rows = 100'000,
          .width = 512,
          .batch = 8192,
          .ids = 10,
          .hidden = 1000,
          .layers = 6,
          .steps = 10};
}

const SparseRun* SparseReport::sparse_dist() const {
  const auto found = std::ranges::find(runs, "sparse_dist", &SparseRun::schedule);
  return found == runs.end() ? nullptr : &*found;
}

std::int64_t sparse_step_count(const SparseOptions& options) {
  return static_cast<std::int64_t>(schedules().size() + 1) * (options.steps + 1 + warm_up);
}

SparseReport measure_sparse(const SparseOptions& options, const std::function<void(const std::string&)>& done) {
  require(!trace::enabled(), "lab sparse: it makes profiles of its own: not below weft profile");
  require(options.tables >= 2, "lab sparse: expected at least 2 tables, one of each kind");
  const knobs::Override<knobs::Text> link(knobs::link,
                                          concat("latency_us=", options.latency_us, ",gb_s=", options.link_gb));
  const Mesh mesh{{"data", options.devices}};
  const std::vector<Batch> batches = make_batches(options, mesh);
  SparseReport report;
  report.table_bytes = static_cast<std::uint64_t>(options.tables * options.rows * options.width) * sizeof(float);
  std::string sequential;
  {
    Training training(options, mesh, batches);
    const SparseRun run = training.run("one after the other", {}, done);
    report.sequential_ms = run.step_ms_p50;
    report.bound_ms = std::max(training.busy_ms, run.communication_ms);
    sequential = training.digest();
  }
  for (const NamedSchedule& one : schedules()) {
    Training training(options, mesh, batches);
    SparseRun& run = report.runs.emplace_back(training.run(one.name, one.schedule, done));
    run.is_equal = training.digest() == sequential;
    run.stale_steps = one.stale_steps;
  }
  report.cases = run_sparse_cases();
  return report;
}

}  // namespace weft::lab
