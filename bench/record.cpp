// What recording and syncing cost the host. The device only pretends to work.
#include <limits>

#include <benchmark/benchmark.h>

#include <weft/base/knobs.h>
#include <weft/weft.h>

namespace weft {
namespace {

// One arithmetic operation of two tensors, recorded and dropped with its step.
void record_op(benchmark::State& state) {
  const Tensor x = ones({16, 256});
  sync();
  constexpr int ops = 1000;
  for (auto _ : state) {
    Tensor y = x;
    for (int i = 0; i < ops; ++i) y = y + x;
    y = Tensor();
    sync();
  }
  state.SetItemsProcessed(state.iterations() * ops);
}
BENCHMARK(record_op);

// The same with a number, which becomes an input: three nodes.
void record_op_with_number(benchmark::State& state) {
  const Tensor x = ones({16, 256});
  sync();
  constexpr int ops = 1000;
  for (auto _ : state) {
    Tensor y = x;
    for (int i = 0; i < ops; ++i) y = y * 0.5;
    y = Tensor();
    sync();
  }
  state.SetItemsProcessed(state.iterations() * ops);
}
BENCHMARK(record_op_with_number);

// Makes a device that only pretends to work this thread's device, and spares the compile of what does not run.
class Pretend {
 public:
  Pretend() : device_(options()), before_(device()) { set_device(device_); }
  ~Pretend() { set_device(before_); }

 private:
  static runtime::DeviceOptions options() {
    runtime::DeviceOptions options;
    options.simulated = true;
    options.run_ahead_launches = std::numeric_limits<int>::max();
    options.run_ahead_bytes = std::numeric_limits<std::uint64_t>::max();
    return options;
  }
  runtime::Device device_;
  runtime::Device& before_;
  knobs::Override<knobs::Text> backend_{knobs::backend, "interpreter"};
};

// The sync of a known step of that many operations.
void sync_known_step(benchmark::State& state) {
  const Pretend pretend;
  Tensor x = ones({16, 256});
  sync();
  for (auto _ : state) {
    state.PauseTiming();
    for (std::int64_t i = 0; i < state.range(0); ++i) x = x + x;
    state.ResumeTiming();
    sync();
  }
}
BENCHMARK(sync_known_step)->Arg(1)->Arg(100)->Arg(10000);

struct Block {
  nn::LayerNorm norm{64};
  nn::Linear up{64, 256}, down{256, 64};
  Tensor operator()(const Tensor& x) const { return x + down(gelu(up(norm(x)))); }
  void fields(auto&& field) {
    field("norm", norm);
    field("up", up);
    field("down", down);
  }
};

struct Model {
  std::vector<Block> blocks = std::vector<Block>(12);
  void fields(auto&& field) { field("blocks", blocks); }
};

// A whole training step, forward, backward, clipping and update, recorded and synced: `nodes` of them.
void record_training_step(benchmark::State& state) {
  const Pretend pretend;
  Model model;
  optim::AdamW optimizer(model);
  const Tensor x = ones({16, 64});
  sync();
  for (auto _ : state) {
    Tensor y = x;
    for (const Block& block : model.blocks) y = block(y);
    optimizer.step(optim::clip_grad_norm(grad(mean(y * y), optimizer.parameters()), 1.0).gradients);
    y = Tensor();
    sync();
  }
  state.counters["nodes"] = static_cast<double>(last_sync().nodes);
  state.counters["ns_per_node"] = benchmark::Counter(static_cast<double>(last_sync().nodes * state.iterations()) * 1e-9,
                                                     benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(record_training_step);

}  // namespace
}  // namespace weft

BENCHMARK_MAIN();
