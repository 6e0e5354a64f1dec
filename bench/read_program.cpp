// Measures how long programs take to be read: bench/read_program FILE... of StableHLO, text or bytecode.
#include <string>

#include <benchmark/benchmark.h>

#include <weft/base/file.h>
#include <weft/ir/bytecode/bytecode.h>

namespace {

void measure(benchmark::State& state, const std::string& contents) {
  for (auto _ : state) benchmark::DoNotOptimize(weft::ir::read_program(contents));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(contents.size()));
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (int i = 1; i < argc; ++i)
    benchmark::RegisterBenchmark(argv[i], measure, weft::read_file(argv[i]))->Unit(benchmark::kMicrosecond);
  benchmark::RunSpecifiedBenchmarks();
}
