#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include <weft/compiler/loop/draft.h>
#include <weft/compiler/loop/tiles.h>

namespace weft::compiler {

namespace {

class Finalizer {
 public:
  Finalizer(DraftLoop loop, const KernelRequest& request) : loop_(std::move(loop)), request_(request) {}

  Lowered run() {
    result_.rows = std::ranges::count(loop_.roles, Role::row);
    result_.serial = std::ranges::count(loop_.roles, Role::serial);
    result_.lanes = std::ranges::count(loop_.roles, Role::lane);
    result_.walk = loop_.records                         ? Walk::records
                   : loop_.columns                       ? Walk::columns
                   : result_.rows == 0 && !loop_.reduces ? Walk::lanes
                                                         : Walk::rows;
    // Sizes are parameters even if they are 0 or 1.
    for (const Size size : loop_.axes) result_.sizes.push_back(parameter(size));
    result_.stages = loop_.stages;
    result_.points = loop_.points;
    result_.contract = request_.contract;
    know_few_lanes();
    if (loop_.columns) keep_sums_in_registers();
    pack_shared_loads();
    for (Draft& d : loop_.exprs) {
      Expr e = std::move(d.expr);
      if (e.kind == Expr::Kind::load || e.kind == Expr::Kind::index) e.position = finalize(d.position);
      for (const Bound& bound : d.bounds) {
        const Bound b = simplified(bound);
        e.bounds.push_back({finalize(b.index), number(b.size)});
      }
      e.gathered = finalize(d.gathered, d.source ? d.source.type() : Type());
      result_.exprs.push_back(std::move(e));
    }
    result_.inputs = loop_.inputs.size();
    for (const ir::Value v : loop_.inputs) result_.buffers.push_back(v.dtype());
    for (const ir::Value v : request_.outputs) result_.buffers.push_back(v.dtype());
    for (const DraftStore& s : loop_.stores)
      result_.stores.push_back({s.value, static_cast<std::int32_t>(loop_.inputs.size() + s.output),
                                finalize(s.position), finalize(s.gathered, request_.outputs[s.output].type()),
                                s.record});
    walk_in_tiles(result_, *request_.target);
    if (result_.walk == Walk::tiles) result_.known_lanes = 0;
    return {std::move(result_), std::move(loop_.inputs)};
  }

 private:
  Number number(Size value) {
    for (const std::int32_t known : {0, 1, -1})
      if (value.is(known)) return {-1, known};
    return parameter(value);
  }
  // Unrolled expressions repeat numbers, which need one parameter only.
  Number parameter(Size value) {
    auto& parameters = result_.parameters;
    if (loop_.records)
      if (const auto known = std::ranges::find(parameters, value); known != parameters.end())
        return {static_cast<std::int32_t>(known - parameters.begin()), 0};
    result_.parameters.push_back(value);
    return {static_cast<std::int32_t>(result_.parameters.size()) - 1, 0};
  }

  Position finalize(const Affine& affine) {
    Position position{number(affine.offset), {}};
    for (std::size_t a = 0; a < loop_.axes.size(); ++a) position.coefficients.push_back(number(affine.coefficient(a)));
    return position;
  }

  std::vector<Gathered> finalize(const std::vector<DraftGathered>& drafts, Type type) {
    std::vector<Gathered> gathered;
    if (drafts.empty()) return gathered;
    const Size elements = product_of(type.dims());
    const bool is_narrow = elements.is_constant() && elements.value() <= std::numeric_limits<std::int32_t>::max();
    for (const DraftGathered& g : drafts) gathered.push_back({g.index, number(g.limit), number(g.stride), is_narrow});
    return gathered;
  }

  // Removes axes that cannot affect the bound: if everything else moves in steps of g, terms below g change nothing.
  Bound simplified(Bound bound) const {
    bound.index.coefficients.resize(loop_.axes.size());
    if (!is_known(bound)) return bound;
    for (std::size_t a = loop_.axes.size(); a-- > 0;) {
      std::int64_t step = std::gcd(bound.index.offset.value(), bound.size.value());
      for (std::size_t other = 0; other < loop_.axes.size(); ++other)
        if (other != a) step = std::gcd(step, bound.index.coefficient(other).value());
      const std::int64_t coefficient = bound.index.coefficient(a).value();
      if (coefficient > 0 && coefficient * (loop_.axes[a].value() - 1) < step) bound.index.coefficients[a] = 0;
    }
    return bound;
  }

  bool is_known(const Bound& bound) const {
    const auto known = [](Size size) { return size.is_constant(); };
    return known(bound.size) && known(bound.index.offset) && std::ranges::all_of(bound.index.coefficients, known) &&
           std::ranges::all_of(loop_.axes, known);
  }

  // The right side of a product x y^T has no neighbours along the lanes. Packing it pays if enough rows share it and if it is small.
  void pack_shared_loads() {
    constexpr std::int64_t most_bytes = 32 << 10;
    const Target& target = *request_.target;
    const auto size = [&](Role role) -> std::int64_t {
      const auto axis = std::ranges::find(loop_.roles.rbegin(), loop_.roles.rend(), role);
      const Size found = axis == loop_.roles.rend() ? Size(0) : loop_.axes[loop_.roles.rend() - axis - 1];
      return found.is_constant() ? found.value() : 0;
    };
    if (target.is_gpu || target.lanes == 1 || !loop_.columns || result_.serial != 1 || result_.lanes != 1) return;
    const std::int64_t points = size(Role::serial),
                       lanes = std::min<std::int64_t>(size(Role::lane), result_.tiling.block);
    if (size(Role::row) < least_packed_rows || lanes < least_packed_lanes || points == 0) return;
    const std::size_t serial = result_.rows;
    for (Draft& d : loop_.exprs) {
      const Size along_lanes = d.position.coefficient(serial + 1);
      d.expr.packed = d.expr.kind == Expr::Kind::load && d.bounds.empty() && d.gathered.empty() &&
                      d.position.coefficient(serial - 1).is(0) && d.position.coefficient(serial).is(1) &&
                      !along_lanes.is(0) && !along_lanes.is(1) &&
                      byte_size(d.expr.dtype) * points * lanes <= most_bytes;
    }
  }

  // Rows of a product read the same elements of its right side, so several are computed together; but only as many, and only as many of
  // their elements, as have their sums in registers.
  void keep_sums_in_registers() {
    const std::size_t rows = std::ranges::count(loop_.roles, Role::row);
    const auto is_shared = [&](const Draft& d) {
      return d.expr.kind == Expr::Kind::load && d.position.coefficient(rows - 1).is(0) &&
             !d.position.coefficient(loop_.axes.size() - 1).is(0);
    };
    if (rows == 0 || std::ranges::none_of(loop_.exprs, is_shared)) return;
    int bytes = 0;  // bytes of the sums for one element
    for (const Draft& d : loop_.exprs)
      if (d.expr.kind == Expr::Kind::reduce) bytes += std::max(4, byte_size(d.expr.dtype));
    const Target& target = *request_.target;
    const int register_bytes = 4 * target.lanes;
    constexpr int others = 6, most = 4;  // others: registers for loaded elements
    const auto rows_that_fit = [&](int lanes) {
      return (target.registers - others) / std::max(1, lanes * bytes / register_bytes);
    };
    Tiling& tiling = result_.tiling;
    if (result_.known_lanes) {
      tiling.rows_together = std::clamp(rows_that_fit(round_up(result_.known_lanes, target.lanes)), 1, most);
      return;
    }
    while (rows_that_fit(tiling.block) == 0 && tiling.block > target.lanes) tiling.block /= 2;
    tiling.rows_together = std::clamp(rows_that_fit(tiling.block), 1, most);
  }

  static int round_up(int count, int step) { return (count + step - 1) / step * step; }

  // Loops over few vectors would take longer than what they do, and so would choosing the number of vectors of a block.
  void know_few_lanes() {
    constexpr std::int64_t most_vectors = 8, most_exprs = 96, most_columns = 32;
    const Target& target = *request_.target;
    if (target.is_gpu || result_.lanes != 1 || !loop_.axes.back().is_constant()) return;
    const std::int64_t lanes = loop_.axes.back().value(), vectors = (lanes + target.lanes - 1) / target.lanes;
    if (lanes == 0) return;
    const bool is_few = result_.walk == Walk::columns ? lanes <= most_columns
                        : result_.walk == Walk::rows
                            ? vectors <= most_vectors && vectors * std::ssize(loop_.exprs) <= most_exprs
                            : false;
    if (is_few) result_.known_lanes = static_cast<int>(lanes);
  }

  DraftLoop loop_;
  const KernelRequest& request_;
  Loop result_;
};

}  // namespace

Lowered finalize(DraftLoop loop, const KernelRequest& request) { return Finalizer(std::move(loop), request).run(); }

}  // namespace weft::compiler
