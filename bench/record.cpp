// Measures the host cost of recording and syncing. The device only pretends to work.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <benchmark/benchmark.h>

#include <weft/base/knobs.h>
#include <weft/runtime/executable.h>
#include <weft/runtime/simulated/simulated_device.h>
#include <weft/weft.h>

namespace weft {
namespace {

// Makes a device that only pretends to work the current one of this thread, and disables compilation.
class Pretend {
 public:
  Pretend() : device_({}, options()), before_(device()) { set_device(device_); }
  ~Pretend() { set_device(before_); }

 private:
  static runtime::DeviceOptions options() {
    runtime::DeviceOptions options;
    options.run_ahead_bytes = std::numeric_limits<std::uint64_t>::max();
    return options;
  }
  runtime::SimulatedDevice device_;
  runtime::Device& before_;
  knobs::Override<knobs::Text> backend_{knobs::backend, "interpreter"};
};

// Measures operations that are recorded with the user's line and dropped with their step. A number becomes an input, which makes
// three nodes. Each `operation` makes `calls` calls of public functions.
template <class Operation>
void record_op(benchmark::State& state, int calls, Operation operation) {
  const Pretend pretend;
  const Tensor x = ones({16, 16});
  sync();
  constexpr int times = 1000;
  const int ops = times * calls;
  std::uint64_t nodes = 0;
  for (auto _ : state) {
    Tensor y = x;
    for (int i = 0; i < times; ++i) y = operation(y, x, i);
    state.PauseTiming();
    sync();
    nodes = last_sync().nodes;
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * ops);
  state.counters["nodes_per_op"] = static_cast<double>(nodes) / ops;
  state.counters["ns_per_op"] =
      benchmark::Counter(ops * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(record_op, add, 1, [](const Tensor& y, const Tensor& x, int) { return y + x; });
BENCHMARK_CAPTURE(record_op, multiply_by_a_number, 1, [](const Tensor& y, const Tensor&, int) { return y * 0.5; });
BENCHMARK_CAPTURE(record_op, matmul, 1, [](const Tensor& y, const Tensor& x, int) { return matmul(y, x); });
BENCHMARK_CAPTURE(record_op, reshape, 1,
                  [](const Tensor& y, const Tensor&, int i) { return reshape(y, {i % 2 ? 16 : 32, i % 2 ? 16 : 8}); });
BENCHMARK_CAPTURE(record_op, sum_and_broadcast, 2,
                  [](const Tensor& y, const Tensor& x, int) { return x - sum(y, {1}, true); });

// Blocks the device during its lifetime with a launch that waits, and all later launches behind it.
class Busy {
 public:
  Busy() : gate_(std::make_shared<runtime::Buffer>(Type(DType::f32, {}))) {
    auto waiting = std::make_shared<runtime::Executable>();
    waiting->inputs.push_back(gate_->type());
    waiting->allocations.push_back({.kind = runtime::Allocation::Kind::input, .index = 0, .bytes = sizeof(float)});
    device().launch(std::move(waiting), std::span(&gate_, 1));
  }
  ~Busy() {
    gate_->fulfil(device().allocate(sizeof(float)));
    device().synchronize();
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  runtime::BufferPtr gate_;
};

// Evicts the program's data from the caches, as happens when a host has waited long for its device.
void sweep_caches() {
  static std::vector<std::uint64_t> memory(std::size_t{64} << 17);  // 64 MiB
  for (std::size_t i = 0; i < memory.size(); i += 8) ++memory[i];
  benchmark::DoNotOptimize(memory.data());
}

// Measures the sync of a known step with this many operations and updated tensors while the device works; before the step, the
// host either waited or not.
void sync_known_step(benchmark::State& state, bool waits) {
  const Pretend pretend;
  const auto operations = static_cast<std::size_t>(state.range(0)), tensors = static_cast<std::size_t>(state.range(1));
  std::vector<Tensor> parameters;
  for (std::size_t i = 0; i < tensors; ++i) parameters.push_back(ones({16, 256}));
  sync();
  for (auto _ : state) {
    const Busy busy;
    if (waits) sweep_caches();
    for (std::size_t i = 0; i < operations; ++i) {
      Tensor& x = parameters[i % tensors];
      x = x + x;
    }
    sync();
    state.SetIterationTime(last_sync().host_us * 1e-6);
  }
}
BENCHMARK_CAPTURE(sync_known_step, at_once, false)
    ->UseManualTime()
    ->Iterations(500)  // the syncs are only a small part of each iteration
    ->Args({1, 1})
    ->Args({100, 1})
    ->Args({10000, 1})
    ->Args({10000, 1200});
BENCHMARK_CAPTURE(sync_known_step, after_a_wait, true)->UseManualTime()->Iterations(200)->Args({10000, 1200});

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

// Measures a whole training step of `nodes` nodes, recorded and synced: forward, backward, clipping and update.
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
