#include <apps/lab/recompile.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>

#include <apps/lab/models.h>
#include <weft/base/diagnostics.h>
#include <weft/base/metrics.h>
#include <weft/jit/compile.h>
#include <weft/optim/adam.h>
#include <weft/optim/clip.h>
#include <weft/profile/hints.h>
#include <weft/record/size_families.h>
#include <weft/record/sync.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/custom_op.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/gradient.h>
#include <weft/tensor/loss.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/random.h>
#include <weft/tensor/reduction.h>

namespace weft::lab {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t batch = 1, tokens = 4, words = 1 << 16, buckets = 512, classes = 4;
constexpr double largest_norm = 0.5;

// Returns the embedding row of a word: a hash for which weft has no operation.
std::int32_t bucket_of(std::int32_t word) {
  std::uint32_t h = word * 0x9e3779b1u;
  h ^= h >> 15;
  return h * 0x85ebca77u % buckets;
}

const CustomOp& hash_words() {
  static const CustomOp op =
      custom_op("lab.hash_words", {.compute = [](const HostCall& call) {
                  std::ranges::transform(call.inputs[0].data<std::int32_t>(),
                                         call.outputs[0].data<std::int32_t>().begin(), bucket_of);
                }});
  return op;
}

// The report of the evaluation, kept on the host; each batch appends its scores.
std::vector<float>& kept_scores() {
  static std::vector<float> scores;
  return scores;
}
const CustomOp& append_scores() {
  static const CustomOp op =
      custom_op("lab.append_scores", {.compute =
                                          [](const HostCall& call) {
                                            const auto scores = call.inputs[0].data<float>();
                                            auto& kept = kept_scores();
                                            kept.insert(kept.end(), scores.begin(), scores.end());
                                            call.outputs[0].data<std::int64_t>()[0] = std::ssize(kept);
                                          },
                                      .types = [](std::span<const Type>) { return std::vector{Type(DType::i64, {})}; },
                                      .has_side_effect = true});
  return op;
}

struct Classifier : Layer {
  static constexpr BertConfig config{.layers = 12, .heads = 2, .width = 8, .vocabulary = buckets, .dropout = 0};

  Classifier() : embedding(buckets, config.width), head(config.width, classes) {
    for (std::int64_t i = 0; i < config.layers; ++i) layers.emplace_back(config);
  }
  Tensor operator()(const Tensor& rows) const {
    Tensor x = embedding(rows);
    for (const BertLayer& layer : layers) x = layer(x);
    return head(mean(x, 1));
  }
  void fields(auto&& field) {
    field("embedding", embedding);
    field("layers", layers);
    field("head", head);
  }

  nn::Embedding embedding;
  std::vector<BertLayer> layers;
  nn::Linear head;
};

struct Task {
  Classifier model;
  optim::AdamW optimizer{model, {.lr = 1e-3}};
  Tensor corpus = random::integers(random::Key(1), {batch, tokens}, 0, words);
  Tensor labels = random::integers(random::Key(2), {batch}, 0, classes);

  // Returns the words of step `i`, which are computed on the device, like those of an augmentation.
  Tensor words_of(const Tensor& i) const { return remainder(corpus * 31 + i, words); }
  Tensor words_of(std::int64_t i) const { return words_of(tensor(i, DType::i32)); }
};

// The first version: the host computes the hash for which weft has no operation, and decides the branch.
Tensor train_before(Task& task, std::int64_t i) {
  std::vector<std::int32_t> rows = task.words_of(i).to_vector<std::int32_t>();
  std::ranges::transform(rows, rows.begin(), bucket_of);
  const Tensor loss = nn::cross_entropy(task.model(from_vector(rows, {batch, tokens})), task.labels);
  std::vector<Tensor> gradients = grad(loss, task.optimizer.parameters());
  const Tensor norm = optim::clip_grad_norm(gradients, std::numeric_limits<float>::max()).norm;
  if (const double value = norm.item(); value > largest_norm)
    for (Tensor& gradient : gradients) gradient = gradient * (largest_norm / value);
  task.optimizer.step(gradients);
  return loss;
}

// The improved version is one program: the hash is part of it, and the device decides the branch.
Tensor train_after(Task& task, std::int64_t i) {
  const Tensor loss = nn::cross_entropy(task.model(hash_words()(task.words_of(i))), task.labels);
  const std::vector<Tensor> gradients = grad(loss, task.optimizer.parameters());
  task.optimizer.step(optim::clip_grad_norm(gradients, largest_norm).gradients);
  return loss;
}

RecompileReport::Loop time_loop(const std::string& name, std::int64_t steps, const LoopObserver& observer,
                                const std::function<void(std::int64_t)>& step) {
  clear_graph_cache();  // forget programs of earlier loops
  if (observer) observer(name, 0, steps);
  const std::uint64_t compiles = metrics::uncached_compile.value();
  const auto start = Clock::now();
  for (std::int64_t i = 0; i < steps; ++i) {
    step(i);
    sync();
    if (observer) observer(name, i + 1, steps);
  }
  device().synchronize();
  const std::chrono::duration<double> time = Clock::now() - start;
  return {steps / time.count(), metrics::uncached_compile.value() - compiles};
}

// Collects the first diagnostics of each kind during a loop.
class Hints {
 public:
  Hints(std::string loop, std::vector<std::string>& to)
      : loop_(std::move(loop)), to_(to), sink_([this](const diagnostics::Event& event) {
          if (seen_[event.kind]++ < most_of_a_kind) to_.push_back(concat(loop_, ": ", to_string(event)));
        }) {
    profile::restart_hints();
  }
  Hints(const Hints&) = delete;
  Hints& operator=(const Hints&) = delete;

 private:
  static constexpr int most_of_a_kind = 2;

  std::string loop_;
  std::vector<std::string>& to_;
  std::map<diagnostics::Kind, int> seen_;
  diagnostics::Sink sink_;
};

RecompileReport::Loop train(const std::string& name, std::int64_t steps, const LoopObserver& observer,
                            Tensor (*step)(Task&, std::int64_t)) {
  Task task;
  sync();
  std::vector<Future<double>> losses;
  Tensor loss;
  return time_loop(name, steps, observer, [&](std::int64_t i) {
    loss = step(task, i);
    losses.push_back(loss.item_async());
  });
}

// Runs with symbolic sizes disabled: every step has a different graph and program.
RecompileReport::Loop evaluate_before(std::int64_t steps, const LoopObserver& observer) {
  const record::SymbolicSizesScope off(false);
  Task task;
  sync();
  Tensor report;
  return time_loop("evaluation, before", steps, observer, [&](std::int64_t i) {
    const Tensor scores = task.model(hash_words()(task.words_of(i)));
    report = report.defined() ? concatenate({report, scores}) : scores;
  });
}

RecompileReport::Loop evaluate_after(std::int64_t steps, const LoopObserver& observer) {
  Task task;
  sync();
  kept_scores().clear();
  const auto step =
      compile([&](const Tensor& i) { return append_scores()(task.model(hash_words()(task.words_of(i)))); });
  Tensor count;
  return time_loop("evaluation, after", steps, observer, [&](std::int64_t i) { count = step(tensor(i, DType::i32)); });
}

}  // namespace

RecompileReport measure_recompile(const RecompileOptions& options, const LoopObserver& observer) {
  RecompileReport report;
  {
    const Hints hints("training", report.hints);
    report.train_before = train("training, before", options.train_steps, observer, train_before);
  }
  {
    const Hints hints("evaluation", report.hints);
    report.eval_before = evaluate_before(options.eval_steps, observer);
  }
  report.train_after = train("training, after", options.train_steps, observer, train_after);
  report.eval_after = evaluate_after(options.eval_steps, observer);
  return report;
}

std::string change_of_speed(double before, double after) {
  const bool is_faster = after >= before;
  const double ratio = is_faster ? after / before : before / after;
  if (ratio < 1.05) return "as fast";
  char text[48];
  std::snprintf(text, sizeof text, "%.1f x %s", ratio, is_faster ? "faster" : "slower");
  return text;
}

}  // namespace weft::lab
