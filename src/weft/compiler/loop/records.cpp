#include <weft/compiler/loop/records.h>

#include <algorithm>
#include <map>

#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

constexpr std::int64_t most_fields = 32;  // of a record that is read and written as a whole
constexpr std::int64_t most_points = 64;  // of the axes that are unrolled
constexpr std::size_t most_exprs = 400;   // of a loop whose axes have been unrolled
constexpr std::ptrdiff_t worth_a_block =
    3;  // fields of a block of a long record: fewer are faster to collect one by one

// ---- which axes

bool is_short(Size size, std::int64_t most) { return size.is_constant() && size.value() >= 2 && size.value() <= most; }

// Returns how many elements the records have of which lanes along this axis read neighbours; 0 if there are no such records.
std::int64_t record_along(const DraftLoop& loop, std::size_t axis) {
  std::int64_t most = 0;
  for (const Draft& d : loop.exprs) {
    const bool is_load = d.expr.kind == Expr::Kind::load && d.bounds.empty() && d.gathered.empty();
    if (const Size size = d.position.coefficient(axis); is_load && is_short(size, most_fields))
      most = std::max(most, size.value());
  }
  return most;
}

struct Unrolled {
  std::vector<bool> axes;
  std::size_t lane = 0;  // the axis whose points become the lanes
  std::int64_t points = 1;
};

// Chooses the row axes along which the fields of records lie that are read along the lanes.
std::optional<Unrolled> axes_of_fields(const DraftLoop& loop, int vector) {
  Unrolled chosen{.axes = std::vector<bool>(loop.axes.size()), .lane = loop.axes.size() - 1};
  const std::int64_t record = record_along(loop, chosen.lane);
  if (record == 0) return std::nullopt;
  for (std::size_t a = 0; a < chosen.lane; ++a) {
    const auto runs_within_records = [&](const Draft& d) {
      return d.expr.kind == Expr::Kind::load && d.position.coefficient(chosen.lane).is(record) &&
             is_short(d.position.coefficient(a) + 1, record);
    };
    if (!is_short(loop.axes[a], record) || std::ranges::none_of(loop.exprs, runs_within_records)) continue;
    if (record >= vector) return std::nullopt;  // walk_in_tiles is as fast
    chosen.axes[a] = true;
    chosen.points *= loop.axes[a].value();
  }
  return chosen.points <= most_points ? std::optional(chosen) : std::nullopt;
}

std::optional<Unrolled> choose_axes(const DraftLoop& loop, int vector) {
  Unrolled chosen{.axes = std::vector<bool>(loop.axes.size())};
  const auto unroll = [&](std::size_t axis) {
    chosen.axes[axis] = true;
    chosen.points *= loop.axes[axis].value();
  };
  std::size_t rows = std::ranges::count(loop.roles, Role::row);
  if (!loop.reduces && !is_short(loop.axes[rows], vector - 1)) return axes_of_fields(loop, vector);
  for (std::size_t a = rows; a < loop.axes.size(); ++a) {
    const bool is_kept = !loop.is_reduced(loop.roles[a]);
    if (!is_short(loop.axes[a], is_kept ? vector - 1 : most_fields)) return std::nullopt;
    unroll(a);
    if (chosen.points > most_points) return std::nullopt;
  }
  while (rows > 0 && is_short(loop.axes[rows - 1], vector - 1) &&
         chosen.points * loop.axes[rows - 1].value() <= most_points)
    unroll(--rows);
  if (rows == 0) return std::nullopt;
  chosen.lane = rows - 1;
  const Size lanes = loop.axes[chosen.lane];
  if (lanes.is_constant() && lanes.value() < vector) return std::nullopt;
  return chosen;
}

// ---- unrolling

// Makes an expression for each point of the unrolled axes on which an expression depends.
class Unrolling {
 public:
  Unrolling(const DraftLoop& from, const Unrolled& axes) : from_(from), unrolled_(axes), point_(from.axes.size()) {
    to_.inputs = from.inputs;
    to_.records = true;
    to_.points = static_cast<int>(axes.points);
    for (std::size_t a = 0; a < from.axes.size(); ++a) {
      if (axes.axes[a]) continue;
      to_.axes.push_back(from.axes[a]);
      to_.roles.push_back(a == axes.lane ? Role::lane : Role::row);
    }
    find_dependences();
  }

  // Returns nullopt if the loop would have too many expressions.
  std::optional<DraftLoop> run() {
    for (const DraftStore& s : from_.stores) {
      const auto along = [&](std::size_t a) { return unrolled_.axes[a] && !s.position.coefficient(a).is(0); };
      for_each_point(along, 0, [&] {
        const ExprId value = at_point(s.value);
        to_.stores.push_back({value, s.output, at_point(s.position), {}, {}});
      });
      if (to_.exprs.size() > most_exprs) return std::nullopt;
    }
    return std::move(to_);
  }

 private:
  void find_dependences() {
    for (const Draft& d : from_.exprs) {
      std::vector<bool> on(from_.axes.size());
      const auto add_affine = [&](const Affine& affine) {
        for (std::size_t a = 0; a < on.size(); ++a) on[a] = on[a] || !affine.coefficient(a).is(0);
      };
      add_affine(d.position);
      for (const Bound& bound : d.bounds) add_affine(bound.index);
      for (const ExprId o : d.expr.operands)
        for (std::size_t a = 0; a < on.size(); ++a) on[a] = on[a] || depends_[o][a];
      for (std::size_t a = 0; a < on.size(); ++a)
        on[a] = on[a] && unrolled_.axes[a] && !(d.expr.kind == Expr::Kind::reduce && from_.is_reduced(from_.roles[a]));
      depends_.push_back(std::move(on));
    }
  }

  // Visits all points of the axes from `axis` on for which `wanted` holds.
  template <class Wanted, class Visit>
  void for_each_point(const Wanted& wanted, std::size_t axis, const Visit& visit) {
    while (axis < point_.size() && !wanted(axis)) ++axis;
    if (axis == point_.size()) return visit();
    for (point_[axis] = 0; point_[axis] < from_.axes[axis].value(); ++point_[axis])
      for_each_point(wanted, axis + 1, visit);
    point_[axis] = 0;
  }

  Affine at_point(const Affine& affine) const {
    Affine result{.offset = affine.offset, .coefficients = {}};
    for (std::size_t a = 0; a < point_.size(); ++a) {
      if (unrolled_.axes[a]) {
        result.offset += affine.coefficient(a) * point_[a];
      } else {
        result.coefficients.push_back(affine.coefficient(a));
      }
    }
    return result;
  }

  // Returns the expression at the current point.
  ExprId at_point(ExprId id) {
    std::vector<std::int64_t> key{id};
    for (std::size_t a = 0; a < point_.size(); ++a)
      if (depends_[id][a]) key.push_back(point_[a]);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    const ExprId made = to_.exprs.size() > most_exprs ? ExprId{0} : make(from_.exprs[id]);
    return known_[key] = made;
  }

  ExprId make(const Draft& d) {
    if (d.expr.kind == Expr::Kind::reduce) return reduce(d.expr);
    std::vector<Bound> bounds;
    for (const Bound& bound : d.bounds) {
      Bound here{at_point(bound.index), bound.size};
      if (here.index.is_constant() && here.index.offset.is_constant() && here.size.is_constant()) {
        const bool holds = here.index.offset.value() >= 0 && here.index.offset.value() < here.size.value();
        if (!holds) return constant(0, d.expr.dtype);
      } else {
        bounds.push_back(std::move(here));
      }
    }
    if (d.expr.kind == Expr::Kind::within && bounds.empty()) return constant(1, DType::boolean);
    if (d.expr.kind == Expr::Kind::select) {
      const ExprId predicate = at_point(d.expr.operands[0]);
      if (to_.expr(predicate).kind == Expr::Kind::constant)
        return at_point(d.expr.operands[to_.expr(predicate).bits ? 1 : 2]);
    }
    Draft made = d;
    made.bounds = std::move(bounds);
    made.position = at_point(d.position);
    for (ExprId& o : made.expr.operands) o = at_point(o);
    for (DraftGathered& g : made.gathered) g.index = at_point(g.index);
    return to_.push(std::move(made));
  }

  // In the order of the elements, then the initial value, as Walk::rows and Walk::columns do.
  ExprId reduce(const Expr& e) {
    const DType sums = accumulator_type(e.dtype);
    const auto reduced = [&](std::size_t a) { return unrolled_.axes[a] && from_.is_reduced(from_.roles[a]); };
    ExprId total = -1;
    for_each_point(reduced, 0, [&] {
      const ExprId element = converted(at_point(e.operands[0]), sums);
      total = total < 0 ? element : apply(e.op, {total, element}, sums, e.contracts);
    });
    total = apply(e.op, {converted(at_point(e.operands[1]), sums), total}, sums);
    return converted(total, e.dtype);
  }

  ExprId converted(ExprId x, DType dtype) {
    return to_.expr(x).dtype == dtype ? x : apply(&ir::ops::convert, {x}, dtype);
  }
  ExprId apply(const ir::Op* op, std::vector<ExprId> operands, DType dtype, bool contracts = false) {
    Draft made;
    made.expr.contracts = contracts;
    made.expr.kind = Expr::Kind::apply;
    made.expr.dtype = dtype;
    made.expr.op = op;
    made.expr.operands = std::move(operands);
    return to_.push(std::move(made));
  }
  ExprId constant(std::uint64_t bits, DType dtype) {
    Draft made;
    made.expr.dtype = dtype;
    made.expr.bits = bits;
    return to_.push(std::move(made));
  }

  const DraftLoop& from_;
  const Unrolled& unrolled_;
  DraftLoop to_;
  std::vector<std::vector<bool>> depends_;             // by expression, then axis
  std::map<std::vector<std::int64_t>, ExprId> known_;  // by expression and the point of the axes on which it depends
  std::vector<std::int64_t> point_;                    // of each axis of from_
};

// ---- records

// If the lanes of an access lie in records, tells which field they are, and makes the position that of the record's first element.
void find_record(Affine& position, Record& record, const Type& buffer, std::size_t lane) {
  const Size size = position.coefficient(lane);
  if (!size.is_constant() || size.value() < 2 || size.value() > most_points || !position.offset.is_constant()) return;
  const auto divides = [&](Size n) { return exact_quotient(n, size).has_value(); };
  if (position.offset.value() < 0 || !std::ranges::all_of(position.coefficients, divides) ||
      !divides(product_of(buffer.dims())))
    return;
  record.size = static_cast<std::int16_t>(size.value());
  record.field = static_cast<std::int16_t>(position.offset.value() % size.value());
  position.offset = position.offset - record.field;
}

void find_records(DraftLoop& loop, const KernelRequest& request) {
  const std::size_t lane = loop.axes.size() - 1;
  for (Draft& d : loop.exprs)
    if (d.expr.kind == Expr::Kind::load && d.bounds.empty() && d.gathered.empty())
      find_record(d.position, d.expr.record, d.source.type(), lane);
  for (DraftStore& s : loop.stores) find_record(s.position, s.record, request.outputs[s.output].type(), lane);
  // Long records are read in blocks of a vector.
  const int vector = request.target->lanes;
  const auto is_same_block = [&](const Draft& a, const Draft& b) {
    return b.expr.record.size == a.expr.record.size && b.source == a.source && b.position == a.position &&
           b.expr.record.field / vector == a.expr.record.field / vector;
  };
  std::vector<Draft*> few;
  for (Draft& d : loop.exprs)
    if (d.expr.record.size > vector &&
        std::ranges::count_if(loop.exprs, [&](const Draft& other) { return is_same_block(d, other); }) < worth_a_block)
      few.push_back(&d);
  for (Draft* d : few) {
    d->position.offset += d->expr.record.field;
    d->expr.record = {};
  }
}

// Returns whether each output is stored as vectors of neighbours, or as whole records.
bool stores_whole_records(const DraftLoop& loop) {
  return std::ranges::all_of(loop.stores, [&](const DraftStore& s) {
    if (!s.record) return s.position.coefficient(loop.axes.size() - 1).is(1);
    const auto is_of_output = [&](const DraftStore& other) { return other.output == s.output; };
    const auto is_of_record = [&](const DraftStore& other) {
      return is_of_output(other) && other.record.size == s.record.size && other.position == s.position;
    };
    return std::ranges::count_if(loop.stores, is_of_output) == s.record.size &&
           std::ranges::count_if(loop.stores, is_of_record) == s.record.size;
  });
}

}  // namespace

std::optional<DraftLoop> walk_records(const DraftLoop& loop, const KernelRequest& request) {
  const Target& target = *request.target;
  if (target.is_gpu || target.lanes == 1 || (loop.reduces && !request.contract) || request.part.concatenation)
    return std::nullopt;
  const auto axes = choose_axes(loop, target.lanes);
  if (!axes) return std::nullopt;
  auto records = Unrolling(loop, *axes).run();
  if (!records) return std::nullopt;
  find_records(*records, request);
  const auto has_records = [](const Draft& d) { return bool(d.expr.record); };
  if (!stores_whole_records(*records)) return std::nullopt;
  if (axes->points == 1 && std::ranges::none_of(records->exprs, has_records)) return std::nullopt;
  return records;
}

}  // namespace weft::compiler
