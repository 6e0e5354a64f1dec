// Measures training steps whose batch size changes from step to step: how often they compile, what a new size costs, and what all
// sizes together cost compared to eager mode.
#include <array>
#include <limits>

#include <benchmark/benchmark.h>

#include <weft/runtime/simulated/simulated_device.h>
#include <weft/weft.h>

namespace weft {
namespace {

struct Net {
  nn::Linear in{64, 256}, middle{256, 256}, out{256, 10};
  void fields(auto&& field) {
    field("in", in);
    field("middle", middle);
    field("out", out);
  }
  Tensor operator()(const Tensor& x) const { return out(gelu(middle(gelu(in(x))))); }
};

struct Batch {
  Tensor x, y;
  explicit Batch(std::int64_t n) : x(randn({n, 64})), y(remainder(arange(n), 10)) { sync(); }
};

class Trainer {
 public:
  explicit Trainer(Dynamic dynamic) : dynamic_(dynamic) { clear_graph_cache(); }
  Tensor operator()(const Batch& batch) { return step_(batch.x, batch.y); }
  double compiles() const { return static_cast<double>(step_.explain().compiles); }

 private:
  Tensor train(const Tensor& x, const Tensor& y) {
    const Tensor loss = nn::cross_entropy(net_(x), y);
    adam_.step(grad(loss, adam_.parameters()));
    return loss;
  }
  Dynamic dynamic_;
  Net net_;
  optim::AdamW adam_{net_, {.lr = 1e-3}};
  Compiled<std::function<Tensor(const Tensor&, const Tensor&)>> step_ =
      compile(std::function([this](const Tensor& x, const Tensor& y) { return train(x, y); }), {.dynamic = dynamic_});
};

constexpr std::array<std::int64_t, 8> changing{64, 37, 50, 11, 64, 1, 29, 48};

void alternating_static_shapes(benchmark::State& state) {
  Trainer trainer(Dynamic::off);
  const Batch eight(8), nine(9);
  for (auto _ : state) {
    trainer(eight);
    trainer(nine);
  }
  synchronize();
  state.counters["compiles"] = trainer.compiles();
}
BENCHMARK(alternating_static_shapes);

void one_after_eight(benchmark::State& state) {
  Trainer trainer(Dynamic::automatic);
  const Batch eight(8), one(1);
  mark_dynamic(eight.x, 0, {.name = "batch", .min = 1});
  mark_dynamic(eight.y, 0, {.name = "batch"});
  trainer(eight);
  const double before = trainer.compiles();
  for (auto _ : state) {
    trainer(eight);
    trainer(one);
  }
  synchronize();
  state.counters["recompiles"] = trainer.compiles() - before;
}
BENCHMARK(one_after_eight);

std::vector<Batch> batches() {
  std::vector<Batch> all;
  for (const std::int64_t n : changing) all.emplace_back(n);
  return all;
}

void steps_of_changing_sizes(benchmark::State& state) {
  Trainer trainer(Dynamic::automatic);
  const std::vector<Batch> all = batches();
  trainer(all[0]);
  trainer(all[1]);
  const double before = trainer.compiles();
  for (auto _ : state) {
    for (const Batch& batch : all) trainer(batch);
    synchronize();
  }
  state.counters["recompiles"] = trainer.compiles() - before;
}
BENCHMARK(steps_of_changing_sizes);

void eager_steps_of_changing_sizes(benchmark::State& state) {
  Trainer trainer(Dynamic::automatic);
  const StanceScope eager(Stance::force_eager);
  const std::vector<Batch> all = batches();
  for (const Batch& batch : all) trainer(batch);
  for (auto _ : state) {
    for (const Batch& batch : all) trainer(batch);
    synchronize();
  }
}
BENCHMARK(eager_steps_of_changing_sizes);

// Measures the host's part of the first call with a new size; the device only pretends to work.
void a_new_size(benchmark::State& state) {
  runtime::DeviceOptions options;
  options.run_ahead_launches = std::numeric_limits<int>::max();
  options.run_ahead_bytes = std::numeric_limits<std::uint64_t>::max();
  runtime::SimulatedDevice device({}, options);
  runtime::Device& before = weft::device();
  set_device(device);
  {
    Trainer trainer(Dynamic::automatic);
    std::int64_t n = 2;
    for (; n < 4; ++n) trainer(Batch(n));
    for (auto _ : state) {
      state.PauseTiming();
      const Batch batch(n++);
      state.ResumeTiming();
      benchmark::DoNotOptimize(trainer(batch));
    }
  }
  set_device(before);
}
BENCHMARK(a_new_size)->Iterations(200);

}  // namespace
}  // namespace weft

BENCHMARK_MAIN();
