#include <weft/compiler/tuning/tilings.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <weft/compiler/cache/kernel_cache.h>
#include <weft/compiler/thunks/kernel_thunk.h>
#include <weft/compiler/tuning/trials.h>

namespace weft::compiler {

namespace {

// For smaller kernels, most of the time is launch overhead.
constexpr std::int64_t least_elements = 16384;

bool sums(const Loop& loop) {
  return std::ranges::any_of(loop.exprs, [](const Expr& e) { return e.kind == Expr::Kind::reduce; });
}

std::string text(const Tiling& tiling, Walk walk) {
  if (walk == Walk::rows) return concat(tiling.sums_together, " sums at once");
  return concat(tiling.rows_together, "x", tiling.block, " at once");
}

std::vector<std::int64_t> axes_of(const Loop& loop, std::span<const std::int64_t> parameters) {
  std::vector<std::int64_t> axes;
  for (const Number& size : loop.sizes) axes.push_back(parameters[size.parameter]);
  return axes;
}

std::vector<std::int64_t> values_of(const std::vector<Size>& sizes) {
  std::vector<std::int64_t> values;
  for (const Size size : sizes) values.push_back(size.value());
  return values;
}

// The kernels of one loop in all its tilings, on data of the unit's shapes.
class Tiled {
 public:
  Tiled(const Unit& unit, const std::vector<Tiling>& tilings) {
    std::vector<KernelSource> sources;
    std::vector<std::string> keys;
    loops_.reserve(tilings.size());
    for (const Tiling& tiling : tilings) {
      Loop& loop = loops_.emplace_back(*unit.kernels()->loops[0]);
      loop.tiling = tiling;
      sources.emplace_back(&loop);
      keys.push_back(loop.key());
    }
    code_ = KernelCache::instance().get(sources, keys, Target::host());
    std::vector<runtime::Slice> slices;
    for (const auto* values : {&unit.reads, &unit.writes})
      for (const ir::Value v : *values) {
        slices.push_back({.allocation = static_cast<std::uint32_t>(bases_.size()),
                          .bytes = static_cast<std::uint64_t>(v.type().bytes())});
        bases_.push_back(memory_.filled(v.type()));
      }
    for (std::size_t i = 0; i < loops_.size(); ++i)
      thunks_.emplace_back(
          KernelCall(loops_[i], reinterpret_cast<Kernel>(code_.kernels[i]), slices, values_of(loops_[i].parameters)));
  }

  void run(std::size_t i) const { thunks_[i].run({.bases = bases_, .step = 0}); }

 private:
  std::vector<Loop> loops_;
  KernelCache::Found code_;
  TrialMemory memory_;
  std::vector<std::byte*> bases_;
  std::vector<KernelThunk> thunks_;
};

}  // namespace

std::vector<Tiling> tilings_of(const Loop& loop, std::span<const std::int64_t> parameters, const Target& target) {
  std::vector<Tiling> tilings{loop.tiling};
  const auto add = [&](const Tiling& tiling) {
    if (tiling != loop.tiling) tilings.push_back(tiling);
  };
  const std::vector<std::int64_t> axes = axes_of(loop, parameters);
  const std::int64_t elements = std::accumulate(axes.begin(), axes.end(), std::int64_t{1}, std::multiplies<>());
  if (!sums(loop) || elements < least_elements) return tilings;
  const std::int64_t lanes = extent_of(loop, parameters).lane_count;
  if (loop.walk == Walk::rows) {
    for (const int n : {1, 2, 4, 8})
      if (n == 1 || n * target.lanes <= lanes) add({.sums_together = n});
  } else if (loop.walk == Walk::columns) {
    constexpr int most_elements = 256;  // more do not fit into registers
    for (const int block : {32, 64, 128})
      for (const int rows : {1, 2, 4, 8}) {
        const bool is_filled = block == 32 || block <= lanes;
        if (is_filled && block * rows <= most_elements && (rows == 1 || loop.tiling.rows_together > 1))
          add({.block = block, .rows_together = rows});
      }
  }
  return tilings;
}

namespace {

std::shared_ptr<const Loop> fastest_tiling(const Unit& unit, const std::string& program, Report& report) {
  const std::shared_ptr<const Loop>& own = unit.kernels()->loops[0];
  const Loop& loop = *own;
  const std::vector<std::int64_t> parameters = values_of(loop.parameters);
  const std::vector<Tiling> tilings = tilings_of(loop, parameters, Target::host());  // trials run on the host
  if (tilings.size() < 2) return own;

  std::shared_ptr<const Tiled> kernels;  // all tilings are compiled together
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < tilings.size(); ++i)
    trials.push_back({text(tilings[i], loop.walk), [&, i] {
                        if (!kernels) kernels = std::make_shared<const Tiled>(unit, tilings);
                        return [kernels, i] { kernels->run(i); };
                      }});
  std::string site = loop.key();
  for (const std::int64_t value : parameters) site += concat(value, ' ');
  const Choice choice = fastest(site, trials);
  std::string sizes;
  for (const std::int64_t size : axes_of(loop, parameters)) sizes += concat(sizes.empty() ? "" : "x", size);
  tell(program, concat(unit.info.category, " over ", sizes), choice, report);
  const auto chosen = std::ranges::find(trials, choice.name, &Trial::name) - trials.begin();
  if (chosen == 0) return own;
  auto result = std::make_shared<Loop>(loop);
  result->tiling = tilings[chosen];
  return result;
}

}  // namespace

void tile(std::vector<Unit>& units, const std::string& program, Report& report) {
  std::unordered_map<std::shared_ptr<const Loop>, std::shared_ptr<const Loop>> tiled;  // equal units share their loop
  for (Unit& unit : units) {
    if (!unit.kernels() || !is_known(unit.reads) || !is_known(unit.writes)) continue;
    std::shared_ptr<const Loop>& loop = unit.kernels()->loops[0];
    auto& result = tiled[loop];
    if (!result) result = fastest_tiling(unit, program, report);
    loop = result;
  }
}

}  // namespace weft::compiler
