#include <weft/compiler/codegen/llvm/region_vectors.h>

#include <algorithm>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

namespace weft::compiler {

using llvm::Value;

Value* whole_vector(std::span<Value* const> elements) {
  Value* vector = nullptr;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    auto* lane = llvm::dyn_cast<llvm::ExtractElementInst>(elements[i]);
    const auto* index = lane ? llvm::dyn_cast<llvm::ConstantInt>(lane->getIndexOperand()) : nullptr;
    if (!index || index->getZExtValue() != i || (vector && vector != lane->getVectorOperand())) return nullptr;
    vector = lane->getVectorOperand();
  }
  const auto* type = vector ? llvm::dyn_cast<llvm::FixedVectorType>(vector->getType()) : nullptr;
  return type && type->getNumElements() == elements.size() ? vector : nullptr;
}

bool is_vector(std::span<Value* const> elements) {
  const auto is_constant = [](const Value* x) { return llvm::isa<llvm::Constant>(x); };
  return whole_vector(elements) || std::ranges::all_of(elements, is_constant) ||
         std::ranges::all_of(elements, [&](const Value* x) { return x == elements[0]; });
}

Value* vector_of(llvm::IRBuilder<>& b, std::span<Value* const> elements, std::size_t lanes) {
  if (elements.size() == lanes)
    if (Value* vector = whole_vector(elements)) return vector;
  if (std::ranges::all_of(elements, [&](const Value* x) { return x == elements[0]; }))
    return b.CreateVectorSplat(static_cast<unsigned>(lanes), elements[0]);
  Value* vector =
      llvm::PoisonValue::get(llvm::FixedVectorType::get(elements[0]->getType(), static_cast<unsigned>(lanes)));
  for (std::size_t lane = 0; lane < lanes; ++lane)
    vector = b.CreateInsertElement(vector, elements[std::min(lane, elements.size() - 1)], lane);
  return vector;
}

void append_lanes(llvm::IRBuilder<>& b, Value* vector, std::size_t count, std::vector<Value*>& elements) {
  for (std::size_t lane = 0; lane < count; ++lane) elements.push_back(b.CreateExtractElement(vector, lane));
}

namespace {

// Calls vector(first) for each run of neighbours that fills a vector, and element(i) for other elements.
void for_runs(std::span<const std::int64_t> places, std::size_t lanes, auto&& vector, auto&& element) {
  for (std::size_t i = 0; i < places.size();) {
    std::size_t run = 1;
    while (run < lanes && i + run < places.size() && places[i + run] == places[i] + static_cast<std::int64_t>(run))
      ++run;
    if (lanes > 1 && run == lanes && vector(i)) {
      i += lanes;
      continue;
    }
    for (std::size_t e = i; e < i + run; ++e) element(e);
    i += run;
  }
}

}  // namespace

void load_elements(RegionContext& c, DType dtype, std::span<const std::int64_t> places, const AddressOfPlace& address,
                   Elements& elements) {
  ScalarEmitter many(c.b, c.target, c.target.lanes, c.contract);
  const llvm::Align align(byte_size(dtype));
  for_runs(
      places, static_cast<std::size_t>(c.target.lanes),
      [&](std::size_t first) {
        Value* stored = c.b.CreateAlignedLoad(many.memory_type(dtype), address(places[first]), align);
        append_lanes(c.b, many.from_memory(stored, dtype), static_cast<std::size_t>(c.target.lanes), elements);
        c.count(1);
        return true;
      },
      [&](std::size_t i) {
        Value* stored = c.b.CreateAlignedLoad(c.one.memory_type(dtype), address(places[i]), align);
        elements.push_back(c.one.from_memory(stored, dtype));
        c.count(1);
      });
}

void store_elements(RegionContext& c, DType dtype, std::span<const std::int64_t> places, const AddressOfPlace& address,
                    const Elements& elements) {
  ScalarEmitter many(c.b, c.target, c.target.lanes, c.contract);
  const llvm::Align align(byte_size(dtype));
  const auto store = [&](ScalarEmitter& emitter, Value* value, std::size_t i) {
    c.b.CreateAlignedStore(emitter.to_memory(value, dtype), address(places[i]), align);
    c.count(1);
  };
  for_runs(
      places, static_cast<std::size_t>(c.target.lanes),
      [&](std::size_t first) {
        const auto chunk = std::span(elements).subspan(first, static_cast<std::size_t>(c.target.lanes));
        if (!is_vector(chunk)) return false;
        store(many, vector_of(c.b, chunk, chunk.size()), first);
        return true;
      },
      [&](std::size_t i) { store(c.one, elements[i], i); });
}

}  // namespace weft::compiler
