#include <weft/runtime/thunk_times.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

namespace weft::runtime {

namespace {

struct Sum {
  std::string label = {};
  std::uint64_t runs = 0, ns = 0;
  double flops = 0, bytes = 0;  // in all runs

  void add(const ThunkTime& time) {
    runs += time.count;
    ns += time.total_ns;
    flops += time.flops * time.count;
    bytes += time.bytes * time.count;
  }
};

std::string line(const Sum& sum, std::uint64_t all_ns) {
  const double ns = sum.ns;
  const auto per = [](double a, double b) { return b > 0 ? a / b : 0; };
  char text[160];
  std::snprintf(text, sizeof text, "%11.3f %6.1f%% %9llu %11.4f %9.1f %8.1f  ", ns / 1e6, 100 * per(ns, all_ns),
                static_cast<unsigned long long>(sum.runs), per(ns / 1e6, sum.runs), per(sum.flops, ns),
                per(sum.bytes, ns));
  return text + sum.label + '\n';
}

constexpr const char* heading = "   total ms  share      runs      ms/run   GFLOP/s     GB/s  ";

std::string section(const char* title, std::vector<Sum> sums, std::uint64_t all_ns, int most) {
  std::ranges::sort(sums, [](const Sum& a, const Sum& b) { return a.ns != b.ns ? a.ns > b.ns : a.label < b.label; });
  std::string text = heading + std::string(title) + '\n';
  const auto shown = std::min(sums.size(), static_cast<std::size_t>(std::max(most, 0)));
  for (std::size_t i = 0; i < shown; ++i) text += line(sums[i], all_ns);
  if (shown < sums.size()) text += "            and " + std::to_string(sums.size() - shown) + " more\n";
  return text;
}

}  // namespace

std::string thunk_table(std::span<const ThunkTime> times, int most) {
  std::map<std::string, Sum> categories;
  std::vector<Sum> thunks;
  Sum all{.label = "all"};
  for (const ThunkTime& time : times) {
    auto& category = categories[time.category];
    category.label = time.category;
    category.add(time);
    thunks.push_back({.label = time.executable + '/' + time.name + (time.source.empty() ? "" : "  " + time.source)});
    thunks.back().add(time);
    all.add(time);
  }
  std::vector<Sum> by_category{all};
  for (auto& [name, sum] : categories) by_category.push_back(std::move(sum));
  return section("category", std::move(by_category), all.ns, static_cast<int>(categories.size()) + 1) +
         section("thunk", std::move(thunks), all.ns, most);
}

}  // namespace weft::runtime
