#include <weft/compiler/loop/loop.h>

#include <algorithm>

namespace weft::compiler {

namespace {

void put(std::string& key, std::int64_t value) { key.append(reinterpret_cast<const char*>(&value), sizeof(value)); }
void put(std::string& key, const Number& n) { put(key, n.parameter < 0 ? n.known : 2 + n.parameter); }
void put(std::string& key, std::string_view text) {
  put(key, std::ssize(text));
  key += text;
}
// Appends the length of a list, then its items.
template <class T, class Put>
void put_each(std::string& key, const std::vector<T>& list, Put&& put_one) {
  put(key, std::ssize(list));
  for (const T& item : list) put_one(item);
}
void put(std::string& key, const Position& p) {
  put(key, p.offset);
  put_each(key, p.coefficients, [&](const Number& n) { put(key, n); });
}

void put(std::string& key, const Record& record) {
  put(key, record.size);
  put(key, record.field);
}

void put(std::string& key, const std::vector<Gathered>& gathered) {
  put_each(key, gathered, [&](const Gathered& g) {
    put(key, g.index);
    put(key, g.limit);
    put(key, g.stride);
    put(key, static_cast<int>(g.is_narrow));
  });
}

// Appends attributes, field by field.
class KeyOfAttributes final : public ir::FieldVisitor {
 public:
  explicit KeyOfAttributes(std::string& key) : key_(key) {}

 private:
  void integer(std::string_view, std::int64_t value, int) override { put(key_, value); }
  void boolean(std::string_view, bool value) override { put(key_, value ? 1 : 0); }
  void integers(std::string_view, ir::Ints values) override {
    put(key_, std::ssize(values));
    for (const std::int64_t value : values) put(key_, value);
  }
  void matrix(std::string_view name, const ir::IntMatrix& values) override {
    put(key_, values.columns);
    integers(name, values.values);
  }
  void enumerator(std::string_view, std::string_view, std::string_view value) override { put(key_, value); }
  void string(std::string_view, std::string_view value) override { put(key_, value); }
  void literal(std::string_view, const ir::Literal& value) override {
    put(key_, concat(value.type));
    put(key_, std::string_view(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()));
  }

  std::string& key_;
};

}  // namespace

// Each list is preceded by its length, so that different loops have different keys.
std::string Loop::key() const {
  std::string key;
  put(key, static_cast<std::int64_t>(walk));
  for (const int n : {rows, serial, lanes, stages, static_cast<int>(contract), inputs, known_lanes}) put(key, n);
  for (const int n : {tiling.block, tiling.rows_together, tiling.sums_together}) put(key, n);
  put(key, std::ssize(parameters));
  put_each(key, sizes, [&](const Number& size) { put(key, size); });
  put_each(key, buffers, [&](DType dtype) { put(key, static_cast<int>(dtype)); });
  put_each(key, exprs, [&](const Expr& e) {
    put(key, (static_cast<int>(e.kind) << 16) | (static_cast<int>(e.dtype) << 8) | (e.packed ? 8 : 0) |
                 (e.contracts ? 4 : 0) | (e.per_lane ? 2 : 0) | (e.cached ? 1 : 0));
    put(key, e.stage);
    put_each(key, e.operands, [&](ExprId operand) { put(key, operand); });
    put(key, e.op ? e.op->name : std::string_view());
    if (e.op && e.attributes && e.op->attributes) {
      KeyOfAttributes visitor(key);
      e.op->attributes->visit(e.attributes, visitor);
    }
    put(key, e.bits);
    put(key, e.buffer);
    put(key, e.position);
    put_each(key, e.bounds, [&](const PositionBound& b) {
      put(key, b.index);
      put(key, b.size);
    });
    put(key, e.gathered);
    put(key, e.record);
  });
  put_each(key, stores, [&](const Store& s) {
    put(key, s.value);
    put(key, s.buffer);
    put(key, s.position);
    put(key, s.gathered);
    put(key, s.record);
  });
  return key;
}

bool runs_along(const Loop& loop, const Expr& e, int axis) {
  if (e.kind != Expr::Kind::load || !e.bounds.empty() || !e.gathered.empty()) return false;
  const Number& lanes = e.position.coefficients[loop.sizes.size() - 1];
  return e.position.coefficients[axis].is(1) && !lanes.is(0) && !lanes.is(1);
}

bool stores_along_lanes(const Loop& loop) {
  return std::ranges::all_of(loop.stores, [](const Store& s) { return s.position.coefficients.back().is(1); });
}

std::int64_t packed_lanes(const Loop& loop) {
  constexpr std::int64_t step = 16;  // no vector is longer
  return loop.known_lanes ? (loop.known_lanes + step - 1) / step * step : loop.tiling.block;
}

LoopExtent extent_of(const Loop& loop, std::span<const std::int64_t> parameters) {
  const auto size = [&](int axis) { return parameters[loop.sizes[axis].parameter]; };
  const auto count = [&](int from, int axes) {
    std::int64_t product = 1;
    for (int a = from; a < from + axes; ++a) product *= size(a);
    return product;
  };
  const auto groups = [](std::int64_t n, std::int64_t each) { return (n + each - 1) / each; };
  const std::int64_t rows = count(0, loop.rows);
  LoopExtent extent{.tasks = rows,
                    .serial_count = count(loop.rows, loop.serial),
                    .lane_count = count(loop.rows + loop.serial, loop.lanes)};
  if (loop.walk == Walk::lanes) extent.tasks = extent.lane_count;
  if (loop.walk == Walk::columns || loop.walk == Walk::tiles || loop.walk == Walk::records) {
    const std::int64_t last = loop.rows ? size(loop.rows - 1) : 1;
    extent.tasks = rows / std::max<std::int64_t>(last, 1) * groups(last, loop.tiling.rows_together) *
                   groups(extent.lane_count, loop.tiling.block);
  }
  extent.scratch_bytes = std::ranges::count_if(loop.exprs, &Expr::cached) * scratch_row(extent.lane_count);
  for (const Expr& e : loop.exprs)
    if (e.packed)
      extent.scratch_bytes +=
          groups(extent.serial_count, packed_points) * packed_points * packed_lanes(loop) * byte_size(e.dtype);
  return extent;
}

std::int64_t elements_per_task(const Loop& loop, const LoopExtent& extent) {
  if (loop.walk == Walk::lanes) return 1;
  std::int64_t walked = extent.lane_count;
  if (loop.walk == Walk::columns) walked = loop.tiling.block * extent.serial_count;
  if (loop.walk == Walk::tiles) walked = std::int64_t{loop.tiling.block} * loop.tiling.rows_together;
  if (loop.walk == Walk::records) walked = std::int64_t{loop.tiling.block} * loop.points;
  return std::max<std::int64_t>(1, walked * loop.stages);
}

}  // namespace weft::compiler
