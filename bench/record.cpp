// What recording and syncing cost the host. The device only pretends to work.
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

// The sync of a known step of that many operations.
void sync_known_step(benchmark::State& state) {
  runtime::DeviceOptions options;
  options.simulated = true;
  runtime::Device simulated(options);
  runtime::Device& before = device();
  set_device(simulated);
  {
    Tensor x = ones({16, 256});
    sync();
    for (auto _ : state) {
      state.PauseTiming();
      for (std::int64_t i = 0; i < state.range(0); ++i) x = x + x;
      state.ResumeTiming();
      sync();
    }
  }
  set_device(before);
}
BENCHMARK(sync_known_step)->Arg(1)->Arg(100)->Arg(10000);

}  // namespace
}  // namespace weft

BENCHMARK_MAIN();
