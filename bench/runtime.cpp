// Measures the cost of the runtime itself: a launch on the host, a thunk on the device, waits, memory.
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <weft/runtime/cpu/cpu_device.h>
#include <weft/runtime/executable.h>
#include <weft/runtime/parallel.h>

namespace {

using namespace weft;
using namespace weft::runtime;

class Nothing : public Thunk {
 public:
  void run(const Launch& launch) const override { benchmark::DoNotOptimize(launch.bases.data()); }
};

// Makes an executable with `tensors` inputs, each donated to an output, and `thunks` thunks that do nothing.
std::shared_ptr<const Executable> updates(int tensors, int thunks) {
  auto executable = std::make_shared<Executable>();
  const Type type(DType::f32, {16});
  for (int i = 0; i < tensors; ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    executable->inputs.push_back(type);
    executable->allocations.push_back({.kind = Allocation::Kind::input, .index = index, .bytes = 64});
    executable->allocations.push_back({.kind = Allocation::Kind::output, .index = index, .bytes = 64});
    executable->outputs.push_back({.type = type, .allocation = 2 * index + 1, .donated_input = i});
  }
  for (int i = 0; i < thunks; ++i) executable->thunks.push_back(std::make_unique<Nothing>());
  return executable;
}

std::vector<BufferPtr> state(Device& device, int tensors) {
  const std::vector<std::byte> bytes(64);
  std::vector<BufferPtr> buffers;
  for (int i = 0; i < tensors; ++i) buffers.push_back(device.upload(Type(DType::f32, {16}), bytes));
  return buffers;
}

// A thunk that blocks its device until the gate is opened.
class Gate : public Thunk {
 public:
  void run(const Launch&) const override { is_open_.wait(false); }
  void set(bool is_open) const {
    is_open_.store(is_open);
    is_open_.notify_all();
  }

 private:
  mutable std::atomic<bool> is_open_ = false;
};

// Measures the host's part: launches that the device cannot start yet, as many as run-ahead allows.
void launch(benchmark::State& bench) {
  const int tensors = bench.range(0);
  const auto executable = updates(tensors, 1);
  constexpr int ahead = 8;
  CpuDevice device({.run_ahead_launches = ahead + 1});
  auto buffers = state(device, tensors);
  const auto gate = std::make_shared<const Gate>();
  auto gated = std::make_shared<Executable>();
  gated->thunks.push_back(gate);
  for (auto _ : bench) {
    bench.PauseTiming();
    gate->set(false);
    device.launch(gated, std::span<const BufferPtr>());
    bench.ResumeTiming();
    for (int i = 0; i < ahead; ++i) buffers = device.launch(executable, buffers);
    bench.PauseTiming();
    gate->set(true);
    device.synchronize();
    bench.ResumeTiming();
  }
  bench.SetItemsProcessed(bench.iterations() * ahead);
}
BENCHMARK(launch)->Arg(1)->Arg(30)->Arg(300)->Arg(1000);

// Measures the device's part when the host is always ahead.
void thunk(benchmark::State& bench) {
  const int thunks = bench.range(0);
  const auto executable = updates(1, thunks);
  CpuDevice device;
  auto buffers = state(device, 1);
  for (auto _ : bench) buffers = device.launch(executable, buffers);
  device.synchronize();
  bench.SetItemsProcessed(bench.iterations() * thunks);
}
BENCHMARK(thunk)->Arg(1)->Arg(1000)->UseRealTime();

void profiled_thunk(benchmark::State& bench) {
  const auto executable = updates(1, 1000);
  CpuDevice device;
  device.set_profiling(true);
  auto buffers = state(device, 1);
  for (auto _ : bench) buffers = device.launch(executable, buffers);
  device.synchronize();
  bench.SetItemsProcessed(bench.iterations() * 1000);
}
BENCHMARK(profiled_thunk)->UseRealTime();

// Measures a launch followed by a wait, so that two threads hand over to each other.
void launch_and_wait(benchmark::State& bench) {
  const auto executable = updates(1, 1);
  CpuDevice device;
  auto buffers = state(device, 1);
  for (auto _ : bench) {
    buffers = device.launch(executable, buffers);
    buffers[0]->wait();
  }
}
BENCHMARK(launch_and_wait)->UseRealTime();

void parallel_region(benchmark::State& bench) {
  for (auto _ : bench)
    parallel_for(thread_count(), 1, [](std::int64_t begin, std::int64_t) { benchmark::DoNotOptimize(begin); });
}
BENCHMARK(parallel_region)->UseRealTime();

// Measures writing a block of memory for the first time, and again.
void first_touch(benchmark::State& bench) {
  CpuDevice device;
  constexpr std::uint64_t bytes = 256 << 20;
  for (auto _ : bench) {
    const Memory memory = device.allocate(bytes);
    std::memset(memory.device_address(), 1, bytes);
    if (bench.range(0) == 0) continue;
    bench.PauseTiming();
    device.release_cached();
    bench.ResumeTiming();
  }
  bench.SetBytesProcessed(static_cast<std::int64_t>(bytes) * bench.iterations());
}
BENCHMARK(first_touch)->ArgName("fresh")->Arg(0)->Arg(1)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
