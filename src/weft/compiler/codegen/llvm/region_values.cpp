#include <algorithm>
#include <cstring>

#include <llvm/IR/Intrinsics.h>

#include <weft/compiler/codegen/llvm/region_emitter.h>
#include <weft/compiler/codegen/llvm/region_vectors.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

using ir::Node;
using llvm::Value;
namespace ops = ir::ops;

namespace {

using ElementPosition = std::vector<std::int64_t>;

std::size_t linear(std::span<const std::int64_t> position, Type type) {
  std::int64_t at = 0;
  for (int d = 0; d < type.rank(); ++d) at = at * type.size(d) + position[d];
  return at;
}

// Calls visit(position) for the elements of a tensor of this type in row-major order.
void for_each_element(Type type, auto&& visit) {
  ElementPosition position(type.rank());
  for (std::int64_t e = 0; e < type.elements(); ++e) {
    std::int64_t rest = e;
    for (int d = type.rank(); d-- > 0; rest /= type.size(d)) position[d] = rest % type.size(d);
    visit(std::span<const std::int64_t>(position));
  }
}

std::vector<std::int64_t> strides_of(Type type) {
  std::vector<std::int64_t> strides(type.rank());
  row_major_strides(type.dims(), strides);
  return strides;
}

// The source of an element of a shape op: which operand it comes from, and the position there.
struct Source {
  int operand = 0;
  ElementPosition position = {};
};

Source padded_source(const Node& n, const ir::PadAttributes& a, std::span<const std::int64_t> position) {
  Source source;
  for (std::size_t d = 0; d < position.size(); ++d) {
    const std::int64_t at = position[d] - a.low[d], step = a.interior[d] + 1;
    if (at < 0 || at % step != 0 || at / step >= n.operand(0).size(d)) return {.operand = 1};
    source.position.push_back(at / step);
  }
  return source;
}

Source concatenated_source(const Node& n, const ir::ConcatenateAttributes& a, std::span<const std::int64_t> position) {
  Source source{.operand = 0, .position = {position.begin(), position.end()}};
  std::int64_t& at = source.position[a.dimension];
  const int d = a.dimension;
  while (at >= n.operand(source.operand).size(d)) at -= n.operand(source.operand++).size(d);
  return source;
}

Source source_of(const Node& n, std::span<const std::int64_t> position) {
  if (const auto* a = n.attributes_if<ir::PadAttributes>()) return padded_source(n, *a, position);
  if (const auto* a = n.attributes_if<ir::ConcatenateAttributes>()) return concatenated_source(n, *a, position);
  Index index;
  for (const std::int64_t p : position) index.push_back({p, {}});
  std::vector<Bound> bounds;
  std::optional<Split> split;
  const auto found = operand_index(n, 0, index, {}, bounds, split);
  WEFT_ASSERT(found && bounds.empty(), n.op->name, " of small values has no source");
  Source source;
  for (const Affine& a : *found) source.position.push_back(a.offset.value());
  return source;
}

// Returns where the elements of a window lie in a tensor, relative to the first.
std::vector<std::int64_t> places_of(Type window, Type whole) {
  std::vector<std::int64_t> places;
  for_each_element(window, [&](std::span<const std::int64_t> position) {
    places.push_back(static_cast<std::int64_t>(linear(position, whole)));
  });
  return places;
}

}  // namespace

void RegionEmitter::emit(const Node& n) {
  std::vector<Elements>& results = values_[n.id];
  switch (n.op->kind) {
    case ir::Kind::source:
      if (ir::is_parameter(n)) return;
      results = {n.attributes_if<ir::ConstantAttributes>() ? constant(n) : iota(n)};
      return;
    case ir::Kind::elementwise: results = {elementwise(n)}; return;
    case ir::Kind::shape: results = {moved(n)}; return;
    case ir::Kind::reduction: results = reduce(n); return;
    case ir::Kind::contraction: results = {dot(n)}; return;
    case ir::Kind::indexing:
      results = {n.attributes_if<ir::DynamicSliceAttributes>() ? dynamic_slice(n) : dynamic_update_slice(n)};
      return;
    case ir::Kind::control: results = branch(n); return;
    case ir::Kind::collective: WEFT_ASSERT(false, "a collective in a loop kernel"); return;
    case ir::Kind::opaque:  // a barrier
      for (const ir::Value v : n.operands) results.push_back(at(v));
      return;
  }
}

Elements RegionEmitter::constant(const Node& n) {
  const ir::Literal& literal = n.attributes<ir::ConstantAttributes>().value;
  const std::size_t width = byte_size(n.type().dtype());
  Elements elements;
  for (std::int64_t e = 0; e < n.type().elements(); ++e) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, literal.bytes.data() + (literal.is_splat() ? 0 : e * width), width);
    elements.push_back(llvm_value(c_.one.constant_bits(n.type().dtype(), bits)));
  }
  return elements;
}

Elements RegionEmitter::iota(const Node& n) {
  const std::size_t d = n.attributes<ir::IotaAttributes>().dimension;
  Elements elements;
  for_each_element(n.type(), [&](std::span<const std::int64_t> position) {
    elements.push_back(llvm_value(c_.one.constant(n.type().dtype(), position[d])));
  });
  return elements;
}

std::vector<ir::Scalar> RegionEmitter::operands_of(const Node& n, std::size_t element) const {
  std::vector<ir::Scalar> operands;
  for (const ir::Value v : n.operands)  // select and clamp take rank-0 operands beside operands of full shape
    operands.push_back(to_scalar(at(v)[v.rank() == 0 ? 0 : element], v.dtype()));
  return operands;
}

// Elements whose operands are in vectors are computed as a vector.
Elements RegionEmitter::elementwise(const Node& n) {
  const auto count = static_cast<std::size_t>(n.type().elements()), width = static_cast<std::size_t>(c_.target.lanes);
  const auto compute = [&](ScalarEmitter& emitter, std::span<const ir::Scalar> operands) {
    Value* result = llvm_value(n.op->scalar(emitter, {operands, n.type().dtype(), n.attribute_data}));
    if (uses_[n.id] > 1) ScalarEmitter::keep_rounding(result);
    return result;
  };
  Elements elements;
  while (elements.size() < count) {
    const std::size_t first = elements.size(), together = std::min(width, count - first);
    if (together > 1 && together == width && reads_vectors(n, first)) {
      ScalarEmitter many(c_.b, c_.target, c_.target.lanes, c_.contract);
      append_lanes(c_.b, compute(many, vectors_of(n, first)), width, elements);
    } else {
      for (std::size_t e = first; e < first + together; ++e) elements.push_back(compute(c_.one, operands_of(n, e)));
    }
  }
  return elements;
}

std::span<Value* const> RegionEmitter::chunk_of(ir::Value v, std::size_t first) const {
  return std::span(at(v)).subspan(v.rank() == 0 ? 0 : first, v.rank() == 0 ? 1 : c_.target.lanes);
}

// Returns whether an operand has a whole vector of elements from `first` on, and the others need no instruction for each element.
bool RegionEmitter::reads_vectors(const Node& n, std::size_t first) const {
  const auto chunk = [&](ir::Value v) { return chunk_of(v, first); };
  const auto is_whole = [&](ir::Value v) { return v.rank() > 0 && whole_vector(chunk(v)); };
  return std::ranges::any_of(n.operands, is_whole) &&
         std::ranges::all_of(n.operands, [&](ir::Value v) { return is_vector(chunk(v)); });
}

std::vector<ir::Scalar> RegionEmitter::vectors_of(const Node& n, std::size_t first) const {
  std::vector<ir::Scalar> vectors;
  for (const ir::Value v : n.operands)
    vectors.push_back(to_scalar(vector_of(c_.b, chunk_of(v, first), c_.target.lanes), v.dtype()));
  return vectors;
}

Elements RegionEmitter::moved(const Node& n) {
  Elements elements;
  for_each_element(n.type(), [&](std::span<const std::int64_t> position) {
    const Source source = source_of(n, position);
    const ir::Value operand = n.operand(source.operand);
    elements.push_back(at(operand)[linear(source.position, operand.type())]);
  });
  return elements;
}

std::vector<Elements> RegionEmitter::reduce(const Node& n) {
  const std::size_t count = n.types.size();
  const auto reduced = n.attributes<ir::DimensionsAttributes>().dimensions;
  std::vector<Elements> results;
  for (std::size_t k = 0; k < count; ++k)
    results.emplace_back(static_cast<std::size_t>(n.types[k].elements()), at(n.operands[count + k])[0]);
  for_each_element(n.operand(0).type(), [&](std::span<const std::int64_t> position) {
    ElementPosition kept;
    for (std::size_t d = 0; d < position.size(); ++d)
      if (std::ranges::find(reduced, d) == reduced.end()) kept.push_back(position[d]);
    const std::size_t to = linear(kept, n.types[0]);
    std::vector<Elements> operands;
    for (std::size_t k = 0; k < count; ++k) operands.push_back({results[k][to]});
    for (std::size_t k = 0; k < count; ++k)
      operands.push_back({at(n.operands[k])[linear(position, n.operands[k].type())]});
    const auto folded = RegionEmitter(c_, *n.regions[0], nullptr).emit(operands);
    for (std::size_t k = 0; k < count; ++k) results[k][to] = folded[k][0];
  });
  return results;
}

Elements RegionEmitter::dot(const Node& n) {
  const auto& a = n.attributes<ir::DotAttributes>();
  const Type lhs = n.operand(0).type(), rhs = n.operand(1).type();
  const DType dtype = n.type().dtype();
  const auto has = [](ir::Ints list, int d) { return std::ranges::find(list, d) != list.end(); };
  std::vector<Dim> contracted;
  for (const std::int64_t d : a.lhs_contracting) contracted.push_back(lhs.dim(d));
  Elements elements;
  for_each_element(n.type(), [&](std::span<const std::int64_t> position) {
    ElementPosition l(lhs.rank()), r(rhs.rank());
    std::size_t next = 0;
    for (std::size_t i = 0; i < a.lhs_batching.size(); ++i)
      l[a.lhs_batching[i]] = r[a.rhs_batching[i]] = position[next++];
    for (int d = 0; d < lhs.rank(); ++d)
      if (!has(a.lhs_batching, d) && !has(a.lhs_contracting, d)) l[d] = position[next++];
    for (int d = 0; d < rhs.rank(); ++d)
      if (!has(a.rhs_batching, d) && !has(a.rhs_contracting, d)) r[d] = position[next++];
    ir::Scalar sum = c_.one.constant(dtype, 0);
    for_each_element(Type(dtype, contracted), [&](std::span<const std::int64_t> term) {
      for (std::size_t i = 0; i < term.size(); ++i) l[a.lhs_contracting[i]] = r[a.rhs_contracting[i]] = term[i];
      sum = c_.one.add(sum, c_.one.multiply(to_scalar(at(n.operand(0))[linear(l, lhs)], dtype),
                                            to_scalar(at(n.operand(1))[linear(r, rhs)], dtype)));
    });
    elements.push_back(llvm_value(sum));
  });
  return elements;
}

std::vector<Value*> RegionEmitter::starts(const Node& n, int first, Type window) {
  std::vector<Value*> result;
  for (int d = 0; d < window.rank(); ++d) {
    const ir::Value start = n.operand(first + d);
    Value* wide = llvm_value(c_.one.convert(to_scalar(at(start)[0], start.dtype()), DType::i64));
    Value* limit = i64(n.operand(0).size(d) - window.size(d));
    if (!is_unsigned_integer(start.dtype())) wide = c_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, wide, i64(0));
    result.push_back(c_.b.CreateBinaryIntrinsic(
        is_unsigned_integer(start.dtype()) ? llvm::Intrinsic::umin : llvm::Intrinsic::smin, wide, limit));
  }
  return result;
}

Value* RegionEmitter::address(std::size_t carried, Type type, std::span<Value* const> starts) {
  const auto strides = strides_of(type);
  Value* at = i64(0);
  for (std::size_t d = 0; d < starts.size(); ++d) at = c_.b.CreateAdd(at, c_.b.CreateMul(starts[d], i64(strides[d])));
  return c_.b.CreateGEP(c_.one.memory_type(type.dtype()), c_.buffers[carried], at);
}

// Calls visit(here, position) for each position at which the window may lie; `here` is the condition that it lies there.
void RegionEmitter::for_each_place(Type whole, Type window, std::span<Value* const> starts, auto&& visit) {
  std::vector<Dim> places;
  for (int d = 0; d < whole.rank(); ++d) places.emplace_back(whole.size(d) - window.size(d) + 1);
  for_each_element(Type(DType::boolean, places), [&](std::span<const std::int64_t> place) {
    Value* here = c_.b.getTrue();
    for (std::size_t d = 0; d < place.size(); ++d)
      here = c_.b.CreateAnd(here, c_.b.CreateICmpEQ(starts[d], i64(place[d])));
    visit(here, place);
  });
}

Elements RegionEmitter::dynamic_slice(const Node& n) {
  const Type whole = n.operand(0).type(), window = n.type();
  const auto from = starts(n, 1, window);
  Elements elements;
  if (const auto carried = memory_of(n.operand(0))) {
    llvm::Type* stored = c_.one.memory_type(whole.dtype());
    Value* first = address(*carried, whole, from);
    load_elements(
        c_, whole.dtype(), places_of(window, whole),
        [&](std::int64_t place) { return c_.b.CreateConstGEP1_64(stored, first, place); }, elements);
    return elements;
  }
  const Elements& operand = at(n.operand(0));
  for_each_place(whole, window, from, [&](Value* here, std::span<const std::int64_t> place) {
    std::size_t e = 0;
    for_each_element(window, [&](std::span<const std::int64_t> position) {
      ElementPosition there(position.begin(), position.end());
      for (std::size_t d = 0; d < there.size(); ++d) there[d] += place[d];
      Value* element = operand[linear(there, whole)];
      if (e == elements.size())
        elements.push_back(element);
      else
        elements[e] = c_.b.CreateSelect(here, element, elements[e]);
      ++e;
    });
  });
  return elements;
}

Elements RegionEmitter::dynamic_update_slice(const Node& n) {
  const Type whole = n.type(), window = n.operand(1).type();
  const auto to = starts(n, 2, window);
  const Elements& update = at(n.operand(1));
  if (const auto carried = memory_of(n.operand(0))) {
    llvm::Type* stored = c_.one.memory_type(whole.dtype());
    Value* first = address(*carried, whole, to);
    store_elements(
        c_, whole.dtype(), places_of(window, whole),
        [&](std::int64_t place) { return c_.b.CreateConstGEP1_64(stored, first, place); }, update);
    return {};
  }
  Elements elements = at(n.operand(0));
  for_each_place(whole, window, to, [&](Value* here, std::span<const std::int64_t> place) {
    for_each_element(window, [&](std::span<const std::int64_t> position) {
      ElementPosition there(position.begin(), position.end());
      for (std::size_t d = 0; d < there.size(); ++d) there[d] += place[d];
      Value*& element = elements[linear(there, whole)];
      element = c_.b.CreateSelect(here, update[linear(position, window)], element);
    });
  });
  return elements;
}

// composite, while, if and case.
std::vector<Elements> RegionEmitter::branch(const Node& n) {
  std::vector<Elements> inputs;
  for (const ir::Value v : n.operands) inputs.push_back(at(v));
  if (n.op->flow == ir::Flow::call) return RegionEmitter(c_, *n.regions[0], nullptr).emit(inputs);
  if (n.op->flow == ir::Flow::loop) return emit_loop(c_, *n.regions[0], *n.regions[1], inputs);
  inputs.erase(inputs.begin());
  Value* chosen = at(n.operand(0))[0];
  auto* joined = llvm::BasicBlock::Create(c_.b.getContext(), "joined", c_.function);
  std::vector<llvm::BasicBlock*> starts, ends;
  std::vector<std::vector<Elements>> results;
  auto* before = c_.b.GetInsertBlock();
  for (const ir::Graph* region : n.regions) {
    starts.push_back(llvm::BasicBlock::Create(c_.b.getContext(), "branch", c_.function));
    c_.b.SetInsertPoint(starts.back());
    results.push_back(RegionEmitter(c_, *region, nullptr).emit(inputs));
    ends.push_back(c_.b.GetInsertBlock());
    c_.b.CreateBr(joined);
  }
  c_.b.SetInsertPoint(before);
  if (n.operand(0).dtype() == DType::boolean) {
    c_.b.CreateCondBr(chosen, starts[0], starts[1]);
  } else {
    auto* choice = c_.b.CreateSwitch(chosen, starts.back());
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) choice->addCase(c_.b.getInt32(i), starts[i]);
  }
  c_.b.SetInsertPoint(joined);
  std::vector<Elements> merged = results[0];
  for (std::size_t k = 0; k < merged.size(); ++k)
    for (std::size_t e = 0; e < merged[k].size(); ++e) {
      auto* phi = c_.b.CreatePHI(merged[k][e]->getType(), static_cast<unsigned>(ends.size()));
      for (std::size_t i = 0; i < ends.size(); ++i) phi->addIncoming(results[i][k][e], ends[i]);
      merged[k][e] = phi;
    }
  return merged;
}

}  // namespace weft::compiler
