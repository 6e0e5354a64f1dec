#include <algorithm>

#include <weft/compiler/loop/cost.h>
#include <weft/compiler/loop/draft.h>

namespace weft::compiler {

namespace {

class Stages {
 public:
  explicit Stages(DraftLoop& loop) : loop_(loop) {}

  Status assign() {
    for (Draft& d : loop_.exprs) {
      Expr& e = d.expr;
      e.stage = 0;
      e.per_lane = depends_on_lanes(d.position) ||
                   std::ranges::any_of(d.bounds, [&](const Bound& b) { return depends_on_lanes(b.index); });
      for (const ExprId o : e.operands) {
        const Expr& operand = loop_.expr(o);
        e.stage = std::max(e.stage, operand.stage);
        e.per_lane = e.per_lane || operand.per_lane;
      }
      if (e.kind == Expr::Kind::reduce) {
        ++e.stage;
        e.per_lane = loop_.columns;
      }
      loop_.stages = std::max<int>(loop_.stages, e.stage + 1);
    }
    if (loop_.columns) {
      if (loop_.stages > 2) return Status::failed("a reduction of a column reduction");
      for (const DraftStore& s : loop_.stores)
        if (loop_.expr(s.value).stage == 0)
          return Status::failed("an output that does not depend on the column reduction");
      if (runs_along_reduced_axes())
        return Status::failed("an output of a column reduction runs along the reduced axes");
      return {};
    }
    choose_cached();
    return {};
  }

 private:
  bool depends_on_lanes(const Affine& a) const {
    for (std::size_t i = 0; i < loop_.axes.size(); ++i)
      if (!a.coefficient(i).is(0) && !loop_.axes[i].is(1) && loop_.roles[i] != Role::row)
        return true;  // even if there are no lanes
    return false;
  }

  // In a column kernel, what is computed after the reduction may use expressions along the serial axes only through the reduction.
  bool runs_along_reduced_axes() const {
    std::vector<bool> serial(loop_.exprs.size());
    for (std::size_t i = 0; i < loop_.exprs.size(); ++i) {
      const Draft& d = loop_.exprs[i];
      const auto along = [&](const Affine& a) {
        for (std::size_t k = 0; k < loop_.axes.size(); ++k)
          if (!a.coefficient(k).is(0) && loop_.roles[k] == Role::serial) return true;
        return false;
      };
      serial[i] = along(d.position) || std::ranges::any_of(d.bounds, [&](const Bound& b) { return along(b.index); });
      if (d.expr.kind == Expr::Kind::reduce) continue;
      for (const ExprId o : d.expr.operands) serial[i] = serial[i] || serial[o];
      if (d.expr.stage > 0 && serial[i]) return true;
    }
    return std::ranges::any_of(loop_.stores, [&](const DraftStore& s) { return serial[s.value]; });
  }

  // Marks expressions that are expensive and needed in the loops of several stages.
  void choose_cached() {
    if (loop_.stages == 1) return;
    constexpr int expensive = 12;
    std::vector<int> cost(loop_.exprs.size());
    for (std::size_t i = 0; i < loop_.exprs.size(); ++i) {
      const Expr& e = loop_.exprs[i].expr;
      if (!e.per_lane) continue;
      cost[i] =
          e.kind == Expr::Kind::apply ? cost_of(*e.op, e.attributes, loop_.expr(e.operands[0]).dtype, e.dtype) : 1;
      for (const ExprId o : e.operands) cost[i] += cost[o];
      // Operands used twice count twice; limited, since sums may double at each step.
      cost[i] = std::min(cost[i], expensive);
    }
    for (std::size_t i = loop_.exprs.size(); i-- > 0;) {
      Expr& e = loop_.exprs[i].expr;
      if (!e.per_lane || cost[i] < expensive || e.kind != Expr::Kind::apply) continue;
      if (loops_that_need(i) > 1) e.cached = true;
    }
  }

  int loops_that_need(ExprId wanted) const {
    int loops = 0;
    for (int stage = 0; stage < loop_.stages; ++stage) {
      std::vector<char> seen(loop_.exprs.size());
      const auto visit_expr = [&](auto&& self, ExprId id) -> void {
        const Expr& e = loop_.expr(id);
        if (seen[id] || !e.per_lane) return;
        seen[id] = 1;
        if (id != wanted && e.cached && e.stage < stage) return;
        for (const ExprId o : e.operands) self(self, o);
      };
      for (const Draft& d : loop_.exprs)
        if (d.expr.kind == Expr::Kind::reduce && d.expr.stage == stage + 1) visit_expr(visit_expr, d.expr.operands[0]);
      for (const DraftStore& s : loop_.stores)
        if (loop_.expr(s.value).stage == stage) visit_expr(visit_expr, s.value);
      loops += seen[wanted];
    }
    return loops;
  }

  DraftLoop& loop_;
};

}  // namespace

Status assign_stages(DraftLoop& loop) { return Stages(loop).assign(); }

}  // namespace weft::compiler
