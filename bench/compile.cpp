// Measures the host cost of a call of a compiled function. The device only pretends to work.
#include <limits>

#include <benchmark/benchmark.h>

#include <weft/base/knobs.h>
#include <weft/runtime/simulated/simulated_device.h>
#include <weft/weft.h>

namespace weft {
namespace {

// A function that reads 300 parameters and changes none, so that its calls consist only of guards, binding and launch.
struct Reader {
  std::vector<Parameter> parameters = std::vector<Parameter>(300, Parameter(zeros({16})));
  Compiled<std::function<Tensor(const Tensor&)>> compiled = compile(std::function([this](const Tensor& x) {
    Tensor total = x;
    for (const Parameter& parameter : parameters) total = total + parameter;
    return total;
  }));
};

runtime::DeviceOptions pretending() {
  runtime::DeviceOptions options;
  options.run_ahead_launches = std::numeric_limits<int>::max();
  options.run_ahead_bytes = std::numeric_limits<std::uint64_t>::max();
  return options;
}

// Measures the same call with and without its guards; the difference is the cost of the guards.
void call(benchmark::State& state, auto make) {
  runtime::SimulatedDevice device({}, pretending());
  runtime::Device& before = weft::device();
  set_device(device);
  {
    Reader reader;
    const Tensor x = ones({16});
    sync();
    reader.compiled(x);
    const auto called = make(reader);
    for (auto _ : state) benchmark::DoNotOptimize(called(x));
  }
  set_device(before);
}
void guarded_call_of_300_tensors(benchmark::State& state) {
  call(state, [](Reader& reader) { return reader.compiled; });
}
BENCHMARK(guarded_call_of_300_tensors);
void pinned_call_of_300_tensors(benchmark::State& state) {
  call(state, [](Reader& reader) { return reader.compiled.pinned(); });
}
BENCHMARK(pinned_call_of_300_tensors);

}  // namespace
}  // namespace weft

BENCHMARK_MAIN();
