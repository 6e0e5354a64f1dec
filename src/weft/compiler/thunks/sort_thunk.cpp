#include <weft/compiler/thunks/sort_thunk.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

#include <weft/compiler/thunks/body.h>
#include <weft/compiler/thunks/gpu_sort_thunk.h>
#include <weft/ir/ops.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using ir::Value;
using runtime::Slice;
namespace ops = ir::ops;

namespace {

// The order that a comparison of two elements of an operand defines.
struct SortOrder {
  std::size_t operand = 0;
  bool descending = false;
  bool zeros_equal = false, nans_equal = false;  // -0 equals 0; every NaN equals the positive quiet NaN
};

bool is_splat_where(Value v, auto&& holds) {
  while (v.node->attributes_if<ir::BroadcastAttributes>()) v = v.node->operand(0);
  const ir::Literal* splat = ir::splat_of(v);
  return splat && visit(v.dtype(), [&]<class T>(T value) {
           std::memcpy(static_cast<void*>(&value), splat->bytes.data(), sizeof(T));
           return holds(value);
         });
}

// One side of a comparison: an input, possibly behind the selects that JAX inserts, select(x == 0, 0, x) and select(x != x, NaN, x).
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
  while (v.node->op == &ops::select) {
    const Value constant = v.node->operand(1), x = v.node->operand(2);
    const ir::Node& test = *v.node->operand(0).node;
    const auto* compare = test.attributes_if<ir::CompareAttributes>();
    if (!compare) break;
    const ir::Direction direction = compare->direction;
    if (without_selects(test.operand(0)) != side.input) break;
    if (direction == ir::Direction::EQ && is_splat_where(test.operand(1), [](double d) { return d == 0; }) &&
        is_splat_where(constant, [](double d) { return d == 0 && !std::signbit(d); })) {
      side.zeros_equal = true;
    } else if (direction == ir::Direction::NE && test.operand(1) == test.operand(0) &&
               is_splat_where(constant, [](double d) { return std::isnan(d) && !std::signbit(d); })) {
      side.nans_equal = true;
    } else {
      break;
    }
    v = x;
  }
  side.input = v;  // if another select remains, this is no input of the comparator
  return side;
}

// A comparison of the two elements of an operand.
struct Comparison {
  SortOrder order;
  ir::Direction direction;
  bool total = false;
};

std::optional<Comparison> comparison_of(Value v, const ir::Graph& comparator) {
  const auto* compare = v.node->attributes_if<ir::CompareAttributes>();
  if (!compare) return std::nullopt;
  const Side left = side_of(v.node->operand(0)), right = side_of(v.node->operand(1));
  if (left.zeros_equal != right.zeros_equal || left.nans_equal != right.nans_equal) return std::nullopt;
  const auto index = [&](Value x) { return std::ranges::find(comparator.inputs(), x) - comparator.inputs().begin(); };
  const auto l = static_cast<std::size_t>(index(left.input)), r = static_cast<std::size_t>(index(right.input));
  if (l >= comparator.inputs().size() || r >= comparator.inputs().size() || l / 2 != r / 2 || l == r)
    return std::nullopt;
  const bool total = compare->type == ir::Comparison::TOTALORDER || !is_float(left.input.dtype());
  return Comparison{.order = {.operand = l / 2,
                              .descending = (compare->direction == ir::Direction::LT) == (l > r),
                              .zeros_equal = left.zeros_equal || !total,
                              .nans_equal = left.nans_equal},
                    .direction = compare->direction,
                    .total = total};
}

std::optional<Comparison> strict_comparison_of(Value v, const ir::Graph& comparator) {
  auto found = comparison_of(v, comparator);
  const auto is = [&](ir::Direction direction) { return found->direction == direction; };
  return found && (is(ir::Direction::LT) || is(ir::Direction::GT)) ? found : std::nullopt;
}

// Calls f(first, second) and f(second, first) with the operands of a node until a call returns a result.
auto in_either_order(const ir::Node& n, auto&& f) {
  auto result = f(n.operand(0), n.operand(1));
  return result ? result : f(n.operand(1), n.operand(0));
}

// Returns the orders by which the comparator compares, one after the other where elements are equal: x < y, or x == y and a further
// comparison. Returns nullopt if it compares in another way.
std::optional<std::vector<SortOrder>> orders_of(Value v, const ir::Graph& comparator) {
  using Orders = std::optional<std::vector<SortOrder>>;
  if (const auto only = strict_comparison_of(v, comparator)) return Orders({only->order});
  if (v.node->op != &ops::or_) return std::nullopt;
  return in_either_order(*v.node, [&](Value before, Value otherwise) -> Orders {
    const auto first = strict_comparison_of(before, comparator);
    if (!first || !first->total || otherwise.node->op != &ops::and_) return std::nullopt;
    return in_either_order(*otherwise.node, [&](Value same, Value next) -> Orders {
      const auto equal = comparison_of(same, comparator);
      if (!equal || equal->direction != ir::Direction::EQ || !equal->total ||
          equal->order.operand != first->order.operand || equal->order.zeros_equal != first->order.zeros_equal ||
          equal->order.nans_equal != first->order.nans_equal)
        return std::nullopt;
      Orders further = orders_of(next, comparator);
      if (further) further->insert(further->begin(), first->order);
      return further;
    });
  });
}

// Returns an unsigned integer such that integers compare as the values do; floats compare in IEEE's total order.
template <class T>
std::uint64_t key_of(T value, const SortOrder& order) {
  std::uint64_t key;
  if constexpr (std::is_same_v<T, bool> || std::is_unsigned_v<T>) {
    key = value;
  } else if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    key = static_cast<U>(value) ^ (U{1} << (std::numeric_limits<U>::digits - 1));
  } else {
    using U = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                 std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
    constexpr U sign = U{1} << (std::numeric_limits<U>::digits - 1);
    if (order.zeros_equal && value == 0) value = T(0);
    if (order.nans_equal && std::isnan(static_cast<double>(value))) value = T(std::numeric_limits<double>::quiet_NaN());
    const U bits = std::bit_cast<U>(value);
    key = static_cast<U>(bits & sign ? ~bits : bits | sign);
  }
  if (order.descending) key = ~key & (~std::uint64_t{0} >> (64 - 8 * sizeof(T)));
  return key;
}

// The common layout of all operands.
struct Layout {
  std::vector<DType> dtypes;
  std::int64_t count = 0, length = 0, stride = 1;  // elements of a row are `stride` apart
  std::int64_t needed = 0;                         // the first ones, in order; the others are not read

  // Returns the first element of a row.
  std::int64_t start(std::int64_t row) const { return row / stride * stride * length + row % stride; }
};

// Returns how many of the first elements of a row are read: fewer than all if only slices of them are.
std::int64_t needed_of(const ir::Node& node, int dimension) {
  const std::int64_t all = node.type().size(dimension);
  const auto outputs = node.graph->outputs();
  if (std::ranges::find(outputs, &node, &Value::node) != outputs.end()) return all;
  std::int64_t needed = 0;
  for (const ir::Node* user : node.graph->nodes()) {
    if (std::ranges::find(user->operands, &node, &Value::node) == user->operands.end()) continue;
    const auto* slice = user->attributes_if<ir::SliceAttributes>();
    if (!slice) return all;
    needed = std::max(needed, slice->limit[dimension]);
  }
  return needed == 0 ? all : needed;  // a node that nothing uses is sorted for somebody who does not stand in its graph
}

Layout layout_of(const ir::Node& node) {
  const Type type = node.type();
  const std::int64_t given = node.attributes<ir::SortAttributes>().dimension;
  const int dimension = given < 0 ? given + type.rank() : given;
  Layout rows{.dtypes = {}, .length = type.size(dimension)};
  for (const Value v : node.operands) rows.dtypes.push_back(v.dtype());
  for (int d = dimension + 1; d < type.rank(); ++d) rows.stride *= type.size(d);
  rows.count = rows.length == 0 ? 0 : type.elements() / rows.length;
  rows.needed = needed_of(node, dimension);
  return rows;
}

class SortThunk : public runtime::Thunk {
 public:
  SortThunk(Layout rows, std::span<const Slice> from, std::span<const Slice> to)
      : rows_(std::move(rows)), reads_(from.begin(), from.end()), writes_(to.begin(), to.end()) {}

 protected:
  // Calls sort_rows(begin, end) on ranges of the rows.
  template <class F>
  void for_rows(F&& sort_rows) const {
    const std::int64_t grain = std::max<std::int64_t>(1, 1024 / std::max<std::int64_t>(1, rows_.length));
    runtime::parallel_for(rows_.count, grain, sort_rows);
  }

  // Writes the row's elements in the order of `places`, in every operand, as far as they are needed.
  void gather(const runtime::Launch& launch, std::int64_t row, const std::vector<std::uint32_t>& places) const {
    for (std::size_t i = 0; i < reads_.size(); ++i)
      visit(rows_.dtypes[i], [&]<class T>(T) {
        const T* from = launch.at<T>(reads_[i]) + rows_.start(row);
        T* to = launch.at<T>(writes_[i]) + rows_.start(row);
        for (std::int64_t at = 0; at < rows_.needed; ++at) to[at * rows_.stride] = from[places[at] * rows_.stride];
      });
  }

  Layout rows_;
  std::vector<Slice> reads_, writes_;
};

// For keys of more than 32 bits; smaller keys fit into one word together with the place.
struct WideKey {
  std::uint64_t key;
  std::uint32_t place;
  friend auto operator<=>(const WideKey&, const WideKey&) = default;
};

// Few first entries are selected; of many, all come before the others and are then sorted.
template <class Entry>
void sort_needed(std::vector<Entry>& entries, std::int64_t needed) {
  constexpr std::int64_t few = 64;
  const auto end = entries.begin() + needed;
  if (needed <= few && end != entries.end()) {
    std::ranges::partial_sort(entries, end);
    return;
  }
  if (end != entries.end()) std::ranges::nth_element(entries, end);
  std::sort(entries.begin(), end);
}

// Sorts by the keys of one operand.
class SortByKey final : public SortThunk {
 public:
  SortByKey(const SortOrder& order, Layout rows, std::span<const Slice> from, std::span<const Slice> to)
      : SortThunk(std::move(rows), from, to), order_(order) {}

  void run(const runtime::Launch& launch) const override {
    visit(rows_.dtypes[order_.operand], [&]<class T>(T) {
      for_rows([&](std::int64_t begin, std::int64_t end) {
        std::vector<std::uint32_t> places(rows_.length);
        std::vector<std::conditional_t<sizeof(T) == 8, WideKey, std::uint64_t>> entries(places.size());
        for (std::int64_t row = begin; row < end; ++row) {
          find_places(launch.at<T>(reads_[order_.operand]) + rows_.start(row), entries, places);
          gather(launch, row, places);
        }
      });
    });
  }

 private:
  // All entries differ, since they contain their place, so any sort is stable.
  template <class T, class Entry>
  void find_places(const T* row, std::vector<Entry>& entries, std::vector<std::uint32_t>& places) const {
    constexpr bool wide = sizeof(T) == 8;
    const SortOrder order = order_;
    const auto fill = [&entries, row, order](auto stride) {
      const std::int64_t count = std::ssize(entries);
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i) {
        const std::uint64_t key = key_of(row[i * stride], order);
        if constexpr (wide)
          entries[i] = {key, static_cast<std::uint32_t>(i)};
        else
          entries[i] = key << 32 | static_cast<std::uint64_t>(i);
      }
    };
    if (rows_.stride == 1)
      fill(std::integral_constant<std::int64_t, 1>());
    else
      fill(rows_.stride);
    sort_needed(entries, rows_.needed);
    for (std::int64_t i = 0; i < rows_.needed; ++i) {
      if constexpr (wide)
        places[i] = entries[i].place;
      else
        places[i] = entries[i];
    }
  }

  SortOrder order_;
};

// Sorts by the keys of an operand and, where they are equal, by those of others.
class SortByKeys final : public SortThunk {
 public:
  SortByKeys(const std::vector<SortOrder>& orders, Layout rows, std::span<const Slice> from, std::span<const Slice> to)
      : SortThunk(std::move(rows), from, to) {
    for (const SortOrder& order : orders) {
      const int bits = bits_of(order);
      if (words_.empty() || words_.back().bits + bits > 64) words_.emplace_back();
      words_.back().orders.push_back(order);
      words_.back().bits += bits;
    }
  }

  void run(const runtime::Launch& launch) const override {
    for_rows([&](std::int64_t begin, std::int64_t end) {
      std::vector<std::uint32_t> places(rows_.length), before(rows_.length);
      std::vector<WideKey> entries(rows_.length);
      for (std::int64_t row = begin; row < end; ++row) {
        std::iota(places.begin(), places.end(), 0u);
        // The last keys first: each sort keeps the order of what is equal, since entries contain their place.
        for (std::size_t w = words_.size(); w-- > 0;) {
          for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = {0, static_cast<std::uint32_t>(i)};
          for (const SortOrder& order : words_[w].orders) append_keys(launch, row, order, places, entries);
          const std::int64_t needed = w == 0 ? rows_.needed : rows_.length;
          sort_needed(entries, needed);
          before.swap(places);
          for (std::int64_t i = 0; i < needed; ++i) places[i] = before[entries[i].place];
        }
        gather(launch, row, places);
      }
    });
  }

 private:
  // Keys that are compared as one number.
  struct Word {
    std::vector<SortOrder> orders;
    int bits = 0;
  };

  int bits_of(const SortOrder& order) const { return 8 * static_cast<int>(byte_size(rows_.dtypes[order.operand])); }

  void append_keys(const runtime::Launch& launch, std::int64_t row, const SortOrder& order,
                   const std::vector<std::uint32_t>& places, std::vector<WideKey>& entries) const {
    visit(rows_.dtypes[order.operand], [&]<class T>(T) {
      const T* from = launch.at<T>(reads_[order.operand]) + rows_.start(row);
      for (std::size_t i = 0; i < entries.size(); ++i) {
        std::uint64_t& key = entries[i].key;
        if constexpr (sizeof(T) < 8) key <<= 8 * sizeof(T);  // a key of 64 bits is a word of its own
        key |= key_of(from[places[i] * rows_.stride], order);
      }
    });
  }

  std::vector<Word> words_;
};

// Sorts by any comparator, such as one that computes keys from the elements.
class SortByComparator final : public SortThunk {
 public:
  SortByComparator(std::shared_ptr<const Body> comparator, Layout rows, std::span<const Slice> from,
                   std::span<const Slice> to)
      : SortThunk(std::move(rows), from, to), comparator_(std::move(comparator)) {}

  void run(const runtime::Launch& launch) const override {
    for_rows([&](std::int64_t begin, std::int64_t end) {
      std::vector<std::uint32_t> places(rows_.length);
      Before before(*this, launch);
      for (std::int64_t row = begin; row < end; ++row) {
        before.start(row);
        std::iota(places.begin(), places.end(), 0u);
        // This stays inside of the row even if the comparator defines no valid order.
        std::ranges::stable_sort(places, std::ref(before));
        gather(launch, row, places);
      }
    });
  }

 private:
  // Returns whether the element at one place of a row comes before the element at another, considering all operands.
  class Before {
   public:
    Before(const SortByComparator& sort, const runtime::Launch& launch)
        : sort_(sort), launch_(launch), buffers_(2 * sort.reads_.size() + 1) {
      buffers_.back() = &answer_;
    }

    void start(std::int64_t row) {
      bases_.clear();
      steps_.clear();
      for (std::size_t i = 0; i < sort_.reads_.size(); ++i) {
        const std::int64_t width = byte_size(sort_.rows_.dtypes[i]);
        bases_.push_back(launch_.at(sort_.reads_[i]) + sort_.rows_.start(row) * width);
        steps_.push_back(sort_.rows_.stride * width);
      }
    }

    bool operator()(std::uint32_t left, std::uint32_t right) {
      for (std::size_t i = 0; i < bases_.size(); ++i) {
        buffers_[2 * i] = bases_[i] + left * steps_[i];
        buffers_[2 * i + 1] = bases_[i] + right * steps_[i];
      }
      sort_.comparator_->apply(buffers_.data());
      return answer_ != std::byte{0};
    }

   private:
    const SortByComparator& sort_;
    const runtime::Launch& launch_;
    std::vector<std::byte*> bases_, buffers_;
    std::vector<std::int64_t> steps_;
    std::byte answer_{};
  };

  std::shared_ptr<const Body> comparator_;
};

}  // namespace

Unit sort_unit(const ir::Node& node, const NativeContext& context) {
  const Layout rows = layout_of(node);
  require(rows.length <= std::numeric_limits<std::uint32_t>::max(), "sort: ", node.type(),
          " has rows of more than 2^32 elements");
  Unit unit = unit_of(node);
  unit.info.category = "sort";
  if (context.options.target->is_gpu && set_gpu_sort(unit, node, context)) return unit;
  if (const auto orders = orders_of(node.regions[0]->outputs()[0], *node.regions[0])) {
    unit.thunk().make = [rows, orders = *orders](std::span<const Slice> reads, std::span<const Slice> writes,
                                                 const Slice&) -> std::unique_ptr<runtime::Thunk> {
      if (orders.size() == 1) return std::make_unique<SortByKey>(orders[0], rows, reads, writes);
      return std::make_unique<SortByKeys>(orders, rows, reads, writes);
    };
  } else {
    unit.thunk().make = [rows, comparator = std::make_shared<const Body>(*node.regions[0], context)](
                            std::span<const Slice> reads, std::span<const Slice> writes, const Slice&) {
      return std::make_unique<SortByComparator>(comparator, rows, reads, writes);
    };
  }
  return unit;
}

}  // namespace weft::compiler
