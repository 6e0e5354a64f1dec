#include <weft/compiler/thunks/reduce_thunk.h>

#include <algorithm>

#include <weft/compiler/thunks/body.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

// Operands are walked in row-major order, one run of the last dimension at a time: into one accumulator if that dimension is reduced, into
// neighbouring accumulators if it is kept. Strides are in elements.
struct ReducePlan {
  Body body;
  struct Axis {
    std::int64_t size, from, into;
  };
  std::vector<Axis> kept, reduced;  // without the last dimension
  Axis last{1, 0, 0};
  std::int64_t kept_count = 1, reduced_count = 1, results = 1;
};

std::shared_ptr<const ReducePlan> reduce_plan(const ir::Node& node, const NativeContext& context) {
  auto plan =
      std::make_shared<ReducePlan>(ReducePlan{.body = Body(*node.regions[0], context), .kept = {}, .reduced = {}});
  const Type x = node.operand(0).type();
  const auto reduced = node.attributes<ir::DimensionsAttributes>().dimensions;
  std::int64_t from = 1, into = 1;
  for (int d = x.rank() - 1; d >= 0; --d) {
    const bool is_reduced = std::ranges::find(reduced, d) != reduced.end();
    const ReducePlan::Axis axis{x.size(d), from, is_reduced ? 0 : into};
    from *= axis.size;
    if (!is_reduced) into *= axis.size;
    if (d == x.rank() - 1) {
      plan->last = axis;
    } else if (is_reduced) {
      plan->reduced.insert(plan->reduced.begin(), axis);
      plan->reduced_count *= axis.size;
    } else {
      plan->kept.insert(plan->kept.begin(), axis);
      plan->kept_count *= axis.size;
    }
  }
  plan->results = into;
  return plan;
}

// Adds the position of element `i` in the row-major order of the axes to `from` and `into`.
void add_position(std::span<const ReducePlan::Axis> axes, std::int64_t i, std::int64_t& from, std::int64_t& into) {
  for (std::size_t a = axes.size(); a-- > 0;) {
    from += i % axes[a].size * axes[a].from;
    into += i % axes[a].size * axes[a].into;
    i /= axes[a].size;
  }
}

class ReduceThunk final : public runtime::Thunk {
 public:
  ReduceThunk(std::shared_ptr<const ReducePlan> plan, std::span<const Slice> from, std::span<const Slice> to)
      : plan_(std::move(plan)), reads_(from.begin(), from.end()), results_(to.begin(), to.end()) {}

  void run(const runtime::Launch& launch) const override {
    const ReducePlan& p = *plan_;
    std::vector<std::byte*> x, result;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      x.push_back(launch.at(reads_[i]));
      result.push_back(launch.at(results_[i]));
      fill_elements(result[i], launch.at(reads_[results_.size() + i]), p.body.widths()[i], p.results);
    }
    if (p.kept_count == 0 || p.reduced_count == 0 || p.last.size == 0) return;
    // Tasks are the positions of the kept axes, or pieces of the last dimension if that is kept.
    const bool reduces_last = p.last.into == 0;
    const std::int64_t rows = p.kept_count, columns = reduces_last ? 1 : p.last.size;
    const std::int64_t work = p.reduced_count * (reduces_last ? p.last.size : 1);
    const std::int64_t grain = std::max<std::int64_t>(1, 8192 / std::max<std::int64_t>(1, work));
    runtime::parallel_for(rows * columns, grain, [&](std::int64_t begin, std::int64_t end) {
      Fold fold(p.body);
      while (begin < end) {
        const std::int64_t row = begin / columns, column = begin % columns;
        const std::int64_t count = std::min(columns - column, end - begin);
        reduce_row(fold, x, result, row, column, reduces_last ? p.last.size : count);
        begin += count;
      }
    });
  }

 private:
  void reduce_row(Fold& fold, const std::vector<std::byte*>& x, const std::vector<std::byte*>& result, std::int64_t row,
                  std::int64_t column, std::int64_t count) const {
    const ReducePlan& p = *plan_;
    for (std::int64_t r = 0; r < p.reduced_count; ++r) {
      std::int64_t from = column * p.last.from, into = column * p.last.into;
      add_position(p.kept, row, from, into);
      add_position(p.reduced, r, from, into);
      fold.run(1, count, result, {into, 0, p.last.into}, x, {from, 0, p.last.from});
    }
  }

  std::shared_ptr<const ReducePlan> plan_;
  std::vector<Slice> reads_, results_;
};

}  // namespace

Unit reduce_unit(const ir::Node& node, const NativeContext& context) {
  Unit unit = unit_of(node);
  unit.info.category = "reduce";
  unit.thunk().make = [plan = reduce_plan(node, context)](std::span<const Slice> reads, std::span<const Slice> writes,
                                                          const Slice&) {
    return std::make_unique<ReduceThunk>(plan, reads, writes);
  };
  return unit;
}

}  // namespace weft::compiler
