// Measures a GPT's whole training step with compile() in every mode, compared to the same step run operation by operation; and
// its compile time: cold, with the kernels on disk, and for 2 and for 12 layers.
// Usage: modes [STEPS]; prints {"rows": [{"name", "steps_per_s", "ratio", "first_call_s"}], "recompiles": {...}, "compile_s": {...}}.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <apps/text/gpt.h>
#include <weft/compiler/cache/temporary_cache.h>
#include <weft/weft.h>

namespace {

using namespace weft;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// A model, its optimizer and a batch.
struct Training {
  explicit Training(std::int64_t layers, std::int64_t batch = 8)
      : model({.layers = layers, .width = 128, .heads = 4, .context = 64, .vocabulary = 256}, 1),
        optimizer(model, {.lr = 1e-3}),
        tokens(randint(0, 256, {batch, 65}, DType::i32)) {
    weft::sync();
  }
  Tensor step(const Tensor& batch) {
    const Tensor loss = model.loss(batch);
    optimizer.step(grad(loss, optimizer.parameters()));
    return loss;
  }

  text::Gpt model;
  optim::AdamW optimizer;
  Tensor tokens;
};

struct Row {
  double steps_per_s = 0, first_call_s = 0;
};

Row run(const CompileOptions& options, Stance stance, int steps) {
  clear_graph_cache();
  manual_seed(0);
  Training training(4);
  const auto step = compile([&](const Tensor& batch) { return training.step(batch); }, options);
  const StanceScope scope(stance);
  const auto start = Clock::now();
  step(training.tokens).item();
  Row row{0, seconds_since(start)};
  for (int i = 0; i < 3; ++i) step(training.tokens).item();
  constexpr int rounds = 3;
  for (int round = 0; round < rounds; ++round) {
    const auto begin = Clock::now();
    for (int i = 0; i < steps; ++i) step(training.tokens);
    synchronize();
    row.steps_per_s = std::max(row.steps_per_s, steps / seconds_since(begin));
  }
  return row;
}

// Measures the first call: recording, compiling, one step.
double compile_seconds(std::int64_t layers) {
  clear_graph_cache();
  manual_seed(0);
  Training training(layers);
  synchronize();  // otherwise the weights would be computed meanwhile, on the same cores
  const auto step = compile([&](const Tensor& batch) { return training.step(batch); });
  step(training.tokens).item();
  return step.explain().programs[0].compile_ms / 1e3;
}

// Counts the programs compiled after the first.
std::uint64_t recompiles(const std::function<void(Training&, int)>& change) {
  clear_graph_cache();
  Training training(1);
  const auto step = compile([&](const Tensor& batch) { return training.step(batch); });
  step(training.tokens);
  const std::uint64_t before = step.explain().compiles;
  for (int i = 0; i < 10; ++i) {
    change(training, i);
    step(training.tokens);
  }
  synchronize();
  return step.explain().compiles - before;
}

}  // namespace

int main(int count, char** arguments) {
  const int steps = count > 1 ? std::max(1, std::atoi(arguments[1])) : 20;
  nlohmann::ordered_json all{{"rows", nlohmann::json::array()}};
  const compiler::TemporaryCache cache;
  const Row eager = run({}, Stance::force_eager, steps);
  const auto add = [&](const char* name, const Row& row) {
    all["rows"].push_back({{"name", name},
                           {"steps_per_s", row.steps_per_s},
                           {"ratio", row.steps_per_s / eager.steps_per_s},
                           {"first_call_s", row.first_call_s}});
  };
  add("eager", eager);
  add("compiled", run({}, Stance::standard, steps));
  add("reduce_overhead", run({.mode = Mode::reduce_overhead}, Stance::standard, steps));
  add("max_autotune_no_replay", run({.mode = Mode::max_autotune_no_replay}, Stance::standard, steps));
  add("max_autotune", run({.mode = Mode::max_autotune}, Stance::standard, steps));
  all["recompiles"] = {
      {"lr changed in every step", recompiles([](Training& t, int i) { t.optimizer.set_lr(1e-3 / (i + 1)); })},
      {"two scalars becoming equal",
       recompiles([](Training& t, int i) { t.optimizer.set_lr(i % 2 == 0 ? 0.9 : 1e-3); })}};
  double cold_2 = 1e9, cold_12 = 1e9;
  for (int i = 0; i < 3; ++i) {  // the disk cache is emptied before each
    cache.empty();
    cold_2 = std::min(cold_2, compile_seconds(2));
    cache.empty();
    cold_12 = std::min(cold_12, compile_seconds(12));
  }
  all["compile_s"] = {{"layers_2", cold_2}, {"layers_12", cold_12}, {"cached", compile_seconds(12)}};
  std::puts(all.dump(2).c_str());
}
