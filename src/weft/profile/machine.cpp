#include <weft/profile/machine.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <vector>

#include <oneapi/dnnl/dnnl.h>
#include <unistd.h>

#include <weft/base/trace.h>
#include <weft/runtime/own_threads.h>
#include <weft/runtime/parallel.h>

namespace weft::profile {

namespace {

// Returns the rate of the fastest of several runs: concurrent work slows a run, but nothing speeds it up.
double best_rate(double work, const std::function<void()>& run) {
  constexpr int runs = 5;
  double best = 0;
  for (int i = 0; i < runs; ++i) {
    const std::uint64_t start = trace::now_ns();
    run();
    best = std::max(best, work * 1e9 / (std::max<std::uint64_t>(trace::now_ns() - start, 1)));
  }
  return best;
}

double product_rate() {
  constexpr dnnl_dim_t n = 640;
  const std::vector<float> a(n * n, 1), b(n * n, 1);
  std::vector<float> c(n * n);
  return best_rate(2.0 * n * n * n,
                   [&] { dnnl_sgemm('N', 'N', n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n); });
}

// Returns the bytes read and written per second when every thread copies `bytes` bytes of its own `times` times.
double copy_rate(std::size_t bytes, int times) {
  const std::size_t threads = runtime::thread_count();
  const std::vector<char> from(threads * bytes, 1);
  std::vector<char> to(threads * bytes, 1);
  return best_rate(2.0 * to.size() * times, [&] {
    runtime::parallel_for(threads, 1, [&](std::int64_t begin, std::int64_t end) {
      for (auto at = begin * bytes; at < end * bytes; at += bytes)
        for (int i = 0; i < times; ++i) std::memcpy(to.data() + at, from.data() + at, bytes);
    });
  });
}

}  // namespace

std::string host_name() {
  char name[256] = "";
  if (::gethostname(name, sizeof name - 1) != 0) return "localhost";
  return name;
}

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.find(':') + 2, line.size()));
  return {};
}

Roofs measure_roofs() {
  Roofs roofs;
  runtime::run_with_own_threads([&] {
    roofs = {.flops = product_rate(),
             .memory_bytes = copy_rate(std::size_t{48} << 20, 1),
             .cache_bytes = copy_rate(std::size_t{256} << 10, 64)};
  });
  return roofs;
}

}  // namespace weft::profile
