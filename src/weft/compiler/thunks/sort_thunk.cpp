#include <weft/compiler/thunks/sort_thunk.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include <weft/compiler/thunks/native.h>
#include <weft/ir/ops.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using ir::Value;
using runtime::Slice;
namespace ops = ir::ops;

namespace {

// What a comparator orders by.
struct Order {
  std::size_t operand = 0;
  bool descending = false;
  bool zeros_equal = false, nans_equal = false;  // -0 counts as 0; any NaN as the positive quiet one
};

bool is_splat(Value v, auto&& holds) {
  while (v.node->op == &ops::broadcast_in_dim) v = v.node->operand(0);
  if (v.node->op != &ops::constant) return false;
  const auto& literal = v.node->attributes<ir::ConstantAttributes>().value;
  return literal.is_splat() && visit(v.dtype(), [&]<class T>(T value) {
           std::memcpy(static_cast<void*>(&value), literal.bytes.data(), sizeof(T));
           return holds(static_cast<double>(value));
         });
}

// One side of a comparison: an input, perhaps after what JAX puts before it, select(x == 0, 0, x) and select(x != x, NaN, x).
struct Side {
  Value input;
  bool zeros_equal = false, nans_equal = false;
};

Value without_selects(Value v) {
  while (v.node->op == &ops::select) v = v.node->operand(2);
  return v;
}

Side side_of(Value v) {
  Side side;
  side.input = without_selects(v);
  while (v.node->op == &ops::select && v.node->operand(0).node->op == &ops::compare) {
    const Value constant = v.node->operand(1), x = v.node->operand(2);
    const ir::Node& test = *v.node->operand(0).node;
    const auto direction = test.attributes<ir::CompareAttributes>().direction;
    if (without_selects(test.operand(0)) != side.input) break;
    if (direction == ir::Direction::EQ && is_splat(test.operand(1), [](double d) { return d == 0; }) &&
        is_splat(constant, [](double d) { return d == 0 && !std::signbit(d); })) {
      side.zeros_equal = true;
    } else if (direction == ir::Direction::NE && test.operand(1) == test.operand(0) &&
               is_splat(constant, [](double d) { return std::isnan(d) && !std::signbit(d); })) {
      side.nans_equal = true;
    } else {
      break;
    }
    v = x;
  }
  side.input = v;  // a select that is neither makes it no input of the comparator
  return side;
}

std::optional<Order> order_of(const ir::Graph& comparator) {
  const ir::Node& last = *comparator.outputs()[0].node;
  if (last.op != &ops::compare) return std::nullopt;
  const auto& attributes = last.attributes<ir::CompareAttributes>();
  const bool less = attributes.direction == ir::Direction::LT;
  if (!less && attributes.direction != ir::Direction::GT) return std::nullopt;
  const Side left = side_of(last.operand(0)), right = side_of(last.operand(1));
  if (left.zeros_equal != right.zeros_equal || left.nans_equal != right.nans_equal) return std::nullopt;
  const auto index = [&](Value v) { return std::ranges::find(comparator.inputs(), v) - comparator.inputs().begin(); };
  const auto l = static_cast<std::size_t>(index(left.input)), r = static_cast<std::size_t>(index(right.input));
  if (l >= comparator.inputs().size() || r >= comparator.inputs().size() || l / 2 != r / 2 || l == r)
    return std::nullopt;
  const bool total = attributes.type == ir::Comparison::TOTALORDER;
  return Order{.operand = l / 2,
               .descending = less == (l > r),
               .zeros_equal = left.zeros_equal || !total,
               .nans_equal = left.nans_equal};
}

// A number whose order as an unsigned integer is the order of the values; floats in IEEE's total order.
template <class T>
std::uint64_t key_of(T value, const Order& order) {
  std::uint64_t key;
  if constexpr (std::is_same_v<T, bool> || std::is_unsigned_v<T>) {
    key = value;
  } else if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    key = static_cast<U>(static_cast<U>(value) ^ (U{1} << (std::numeric_limits<U>::digits - 1)));
  } else {
    using U = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                 std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
    constexpr U sign = static_cast<U>(U{1} << (std::numeric_limits<U>::digits - 1));
    if (order.zeros_equal && static_cast<double>(value) == 0) value = T(0);
    if (order.nans_equal && std::isnan(static_cast<double>(value))) value = T(std::numeric_limits<double>::quiet_NaN());
    const U bits = std::bit_cast<U>(value);
    key = static_cast<U>(bits & sign ? ~bits : bits | sign);
  }
  if (order.descending) key = ~key & (~std::uint64_t{0} >> (64 - 8 * sizeof(T)));
  return key;
}

struct Plan {
  Order order;
  std::vector<DType> dtypes;
  std::int64_t rows = 0, length = 0, stride = 1;  // elements of a row lie `stride` apart

  // First element of a row.
  std::int64_t start(std::int64_t row) const { return row / stride * stride * length + row % stride; }
};

// Keys of up to 32 bits and places fit in one word.
struct WideKey {
  std::uint64_t key;
  std::uint32_t place;
  friend auto operator<=>(const WideKey&, const WideKey&) = default;
};

class SortThunk final : public runtime::Thunk {
 public:
  SortThunk(Plan plan, std::span<const Slice> from, std::span<const Slice> to)
      : plan_(std::move(plan)), reads_(from.begin(), from.end()), writes_(to.begin(), to.end()) {}

  void run(const runtime::Launch& launch) const override {
    const std::int64_t grain = std::max<std::int64_t>(1, 1024 / std::max<std::int64_t>(1, plan_.length));
    runtime::parallel_for(plan_.rows, grain, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::uint32_t> places(static_cast<std::size_t>(plan_.length));
      visit(plan_.dtypes[plan_.order.operand], [&]<class T>(T) {
        using Entry = std::conditional_t<sizeof(T) == 8, WideKey, std::uint64_t>;
        std::vector<Entry> entries(places.size());
        for (std::int64_t row = begin; row < end; ++row) {
          find_places(launch.at<T>(reads_[plan_.order.operand]) + plan_.start(row), entries, places);
          for (std::size_t i = 0; i < reads_.size(); ++i) gather(launch, i, plan_.start(row), places);
        }
      });
    });
  }

 private:
  // No two entries are equal, so any sort is stable.
  template <class T, class Entry>
  void find_places(const T* row, std::vector<Entry>& entries, std::vector<std::uint32_t>& places) const {
    constexpr bool wide = sizeof(T) == 8;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::uint64_t key = key_of(row[static_cast<std::int64_t>(i) * plan_.stride], plan_.order);
      if constexpr (wide)
        entries[i] = {key, static_cast<std::uint32_t>(i)};
      else
        entries[i] = key << 32 | i;
    }
    std::ranges::sort(entries);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if constexpr (wide)
        places[i] = entries[i].place;
      else
        places[i] = static_cast<std::uint32_t>(entries[i]);
    }
  }

  void gather(const runtime::Launch& launch, std::size_t operand, std::int64_t start,
              const std::vector<std::uint32_t>& places) const {
    visit(plan_.dtypes[operand], [&]<class T>(T) {
      const T* from = launch.at<T>(reads_[operand]) + start;
      T* to = launch.at<T>(writes_[operand]) + start;
      for (std::size_t i = 0; i < places.size(); ++i)
        to[static_cast<std::int64_t>(i) * plan_.stride] = from[places[i] * plan_.stride];
    });
  }

  Plan plan_;
  std::vector<Slice> reads_, writes_;
};

}  // namespace

std::optional<Unit> sort_unit(const ir::Node& node) {
  const auto order = order_of(*node.regions[0]);
  const Type type = node.type();
  const std::int64_t given = node.attributes<ir::SortAttributes>().dimension;
  const int dimension = static_cast<int>(given < 0 ? given + type.rank() : given);
  if (!order || type.size(dimension) > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  Plan plan{.order = *order, .dtypes = {}, .length = type.size(dimension)};
  for (const Value v : node.operands) plan.dtypes.push_back(v.dtype());
  for (int d = dimension + 1; d < type.rank(); ++d) plan.stride *= type.size(d);
  plan.rows = plan.length == 0 ? 0 : type.elements() / plan.length;
  Unit unit = unit_of(node);
  unit.info.category = "sort";
  unit.make = [plan](std::span<const Slice> reads, std::span<const Slice> writes, const Slice&) {
    return std::make_unique<SortThunk>(plan, reads, writes);
  };
  return unit;
}

}  // namespace weft::compiler
