#include <weft/fuzz/grower.h>

#include <algorithm>
#include <numeric>

#include <weft/fuzz/inputs.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

using ir::Kind;
using ir::Op;
using ir::Value;

namespace {

std::span<const FuzzEntry> entries_of(Kind kind) {
  switch (kind) {
    case Kind::elementwise: return elementwise_entries;
    case Kind::shape: return shape_entries;
    case Kind::reduction: return reduction_entries;
    case Kind::contraction: return contraction_entries;
    case Kind::indexing: return indexing_entries;
    case Kind::control: return control_entries;
    case Kind::source: return source_entries;
    case Kind::opaque: return opaque_entries;
    case Kind::collective: return {};  // collectives need several processes
  }
  __builtin_unreachable();
}

// The relative frequency of each kind.
constexpr std::pair<Kind, int> weights[] = {{Kind::elementwise, 42}, {Kind::shape, 20},   {Kind::reduction, 9},
                                            {Kind::contraction, 5},  {Kind::indexing, 9}, {Kind::control, 6},
                                            {Kind::source, 4},       {Kind::opaque, 2}};

const Op& random_op(Random& random) {
  static const auto by_kind = [] {
    std::vector<std::vector<const Op*>> lists(std::size(weights));
    for (const Op* op : ir::all_ops())
      for (std::size_t k = 0; k < std::size(weights); ++k)
        if (op->kind == weights[k].first && find_recipe(*op)) lists[k].push_back(op);
    return lists;
  }();
  std::int64_t total = 0;
  for (const auto& [kind, weight] : weights) total += weight;
  std::int64_t at = random.between(0, total - 1);
  std::size_t k = 0;
  while (at >= weights[k].second) at -= weights[k++].second;
  return *random.pick(by_kind[k]);
}

// Common dtypes are drawn more often.
constexpr DType dtype_pool[] = {DType::f32, DType::f32, DType::f32,  DType::f32, DType::f32,     DType::f64, DType::f64,
                                DType::f16, DType::f16, DType::bf16, DType::i32, DType::i32,     DType::i64, DType::i8,
                                DType::i16, DType::u8,  DType::u16,  DType::u32, DType::boolean, DType::u64};

}  // namespace

const FuzzEntry* find_entry(const Op& op) {
  for (const auto entries : {entries_of(op.kind), embedding_entries})
    if (const auto found = std::ranges::find(entries, &op, &FuzzEntry::op); found != entries.end()) return &*found;
  return nullptr;
}

Recipe find_recipe(const Op& op) {
  if (const FuzzEntry* entry = find_entry(op)) return entry->recipe;
  return op.kind == Kind::elementwise ? grow_elementwise : nullptr;
}

Grower::Grower(ir::Graph& graph, Random& random, const Style& style, std::span<const Value> values, bool takes_inputs)
    : graph_(graph),
      random_(random),
      style_(style),
      values_(values.begin(), values.end()),
      takes_inputs_(takes_inputs) {}

void Grower::grow(int nodes) {
  if (values_.empty()) add(fitted(random_dtype(), random_sizes(0, 3)));
  for (int i = 0; i < nodes; ++i) grow_one();
}

void Grower::grow_one() {
  const Op& op = random_op(random_);
  try {
    find_recipe(op)(*this, op);
  } catch (const Error&) {
    // A node that a type rule rejected is not in the graph, and the nodes appended for it are unused.
  }
}

void Grower::add(Value value) {
  if (value.type().elements() <= style_.elements) values_.push_back(value);
}

void Grower::add(std::span<const Value> values) {
  for (const Value v : values) add(v);
}

Value Grower::any() { return values_[std::max(random_.below(values_.size()), random_.below(values_.size()))]; }

Value Grower::any(ir::DTypes set) { return any_of_rank(0, set); }

Value Grower::any_of_rank(int rank, ir::DTypes set) {
  for (int attempt = 0; attempt < 4; ++attempt)
    if (const Value v = any(); v.rank() >= rank && ir::contains(set, v.dtype())) return v;
  const Value v = any();
  if (v.rank() >= rank && random_.one_in(2)) return ir::convert(v, random_dtype(set));
  return fitted(random_dtype(set), random_sizes(rank, std::max(rank, 3)));
}

Value Grower::fitted(Type type) {
  require(type.elements() <= style_.elements, "a value of ", type, " would be too large");
  std::vector<Value> same;
  for (const Value v : values_)
    if (v.type() == type) same.push_back(v);
  if (!same.empty() && !random_.one_in(4)) return random_.pick(same);
  if (takes_inputs_ && random_.one_in(graph_.inputs().size() < 6 ? 3 : 12)) {
    const Value input = graph_.add_input(type);
    values_.push_back(input);
    return input;
  }
  if (values_.empty() || random_.one_in(6)) return random_constant(type);
  return adapted(any(), type);
}

Value Grower::adapted(Value x, Type type) {
  if (x.rank() == 0 || x.type().elements() <= type.elements()) return resized(ir::convert(x, type.dtype()), type);
  return ir::convert(resized(x, type), type.dtype());
}

// Returns `x` reshaped, cut or padded to the shape of `type`.
Value Grower::resized(Value x, Type type) {
  if (x.rank() == 0) return ir::broadcast(x, type.with(x.dtype()));
  const std::int64_t have = x.type().elements(), want = type.elements();
  if (have != want) {
    x = ir::reshape(x, {Dim(have)});
    if (have < want) {
      const std::int64_t low = random_.between(0, want - have);
      const std::int64_t lows[] = {low}, highs[] = {want - have - low}, none[] = {0};
      x = ir::pad(x, ir::constant(graph_, Type(x.dtype(), {}), 1), lows, highs, none);
    } else {
      const std::int64_t stride = want > 0 ? random_.between(1, (have - 1) / std::max<std::int64_t>(want, 1) + 1) : 1;
      const std::int64_t span = want > 0 ? (want - 1) * stride + 1 : 0;
      if (span > have) return resized(ir::slice(x, Dims{0}, Dims{want}, Dims{1}), type);
      const std::int64_t start = random_.between(0, have - span);
      x = ir::slice(x, Dims{start}, Dims{start + span}, Dims{stride});
    }
  }
  return ir::reshape(x, type.dims());
}

Value Grower::positions(Type type, std::int64_t size) {
  if (random_.one_in(3)) {
    const Value x = fitted(type);
    return size > 0 && size < 100 ? ir::remainder(x, ir::constant_like(x, size)) : x;
  }
  ir::Array data(type);
  const std::int64_t low = is_unsigned_integer(type.dtype()) ? 0 : -1;
  visit(type.dtype(), [&]<class T>(T) {
    for (T& x : data.data<T>()) x = static_cast<T>(random_.between(low, std::max<std::int64_t>(size, 1)));
  });
  return ir::constant(graph_, data.literal());
}

Value Grower::random_constant(Type type) {
  if (random_.one_in(3)) return ir::constant(graph_, type, random_.between(0, 3));
  return ir::constant(graph_, random_array(type, random_, style_.wild).literal());
}

DType Grower::random_dtype(ir::DTypes set) {
  for (;;)
    if (const DType t = random_.pick(dtype_pool); ir::contains(set, t)) return t;
}

DType Grower::random_index_dtype() { return random_.one_in(2) ? DType::i32 : random_dtype(ir::integers); }

std::int64_t Grower::random_size() {
  if (random_.one_in(24)) return 0;
  if (random_.one_in(5)) return 1;
  constexpr std::int64_t sizes[] = {2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 31, 33, 64, 65, 100};
  return random_.pick(sizes);
}

Dims Grower::random_sizes(int low_rank, int high_rank) {
  for (;;) {
    Dims sizes(random_.between(low_rank, high_rank));
    for (std::int64_t& s : sizes) s = random_size();
    if (std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies()) <= style_.elements)
      return sizes;
  }
}

Dims Grower::random_dimensions(int rank) {
  Dims dims;
  for (int d = 0; d < rank; ++d)
    if (random_.one_in(2)) dims.push_back(d);
  return dims;
}

std::shared_ptr<const ir::Graph> Grower::random_region(std::span<const Type> inputs, std::span<const Type> outputs,
                                                       int nodes) {
  Style inner = style_;
  --inner.depth;
  return ir::make_graph(inputs, [&](ir::Graph& graph, std::span<const Value> x) {
    Grower body(graph, random_, inner, x, false);
    body.grow(nodes);
    std::vector<Value> results;
    for (const Type type : outputs) results.push_back(body.fitted(type));
    return results;
  });
}

Type Grower::type_of(DType dtype, std::span<const std::int64_t> sizes) {
  const std::vector<Dim> dims(sizes.begin(), sizes.end());
  return Type(dtype, dims);
}

Dims Grower::sizes_of(Type type) {
  Dims sizes;
  for (int d = 0; d < type.rank(); ++d) sizes.push_back(type.size(d));
  return sizes;
}

}  // namespace weft::fuzz
