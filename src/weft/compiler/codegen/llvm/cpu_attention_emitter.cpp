#include <weft/compiler/codegen/llvm/cpu_attention_emitter.h>

#include <numeric>

#include <weft/compiler/codegen/llvm/cpu_attention.h>
#include <weft/compiler/codegen/llvm/cpu_function.h>

namespace weft::compiler {

using llvm::Value;

namespace {

bool is_zero(const Value* v) {
  const auto* const constant = llvm::dyn_cast<llvm::ConstantInt>(v);
  return constant && constant->isZero();
}

}  // namespace

CpuAttentionEmitter::CpuAttentionEmitter(llvm::Module& module, const CpuAttention& kernel, const std::string& name,
                                         const Target& target, int buffers, int buffers_with_rows)
    : kernel_(kernel), target_(target), tiles_(cpu_attention_tiles(kernel, target)), b_(module.getContext()) {
  function_ = make_cpu_function(
      module, name, {b_.getPtrTy(), b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty(), b_.getPtrTy()}, target);
  entry_ = llvm::BasicBlock::Create(b_.getContext(), "entry", function_);
  b_.SetInsertPoint(entry_);
  const bool wide = kernel.computed() == DType::f64;
  number_ = wide ? b_.getDoubleTy() : b_.getFloatTy();
  vector_ = llvm::FixedVectorType::get(number_, static_cast<unsigned>(tiles_.lanes));
  row_vector_ = llvm::FixedVectorType::get(number_, static_cast<unsigned>(side()));
  align_ = llvm::Align(wide ? 8 : 4);
  int next = 0;
  for (Value** number : {&heads_, &queries_, &keys_, &blocks_}) *number = parameter(next++);
  unseen_ = minus(keys_, queries_);
  for (std::size_t i = 0; i < attention_pieces; ++i)
    pieces_.push_back(b_.CreateGEP(b_.getInt8Ty(), function_->getArg(4), parameter(next++)));
  for (int i = 0; i < 3 * buffers_with_rows; ++i) strides_.push_back(parameter(next++));
  for (int i = 0; i < buffers; ++i) buffers_.push_back(buffer(i));
}

Value* CpuAttentionEmitter::parameter(int i) {
  return b_.CreateLoad(b_.getInt64Ty(), b_.CreateGEP(b_.getInt64Ty(), function_->getArg(1), i64(i)));
}

Value* CpuAttentionEmitter::buffer(int i) {
  return b_.CreateLoad(b_.getPtrTy(), b_.CreateGEP(b_.getPtrTy(), function_->getArg(0), i64(i)));
}

llvm::AllocaInst* CpuAttentionEmitter::local(Value* start) {
  llvm::IRBuilder<> entry(entry_, entry_->begin());
  auto* const variable = entry.CreateAlloca(start->getType());
  b_.CreateStore(start, variable);
  return variable;
}

CpuAttentionEmitter::Head CpuAttentionEmitter::head_of(Value* number) {
  return {b_.CreateSDiv(number, heads_), b_.CreateSRem(number, heads_), number};
}

CpuAttentionEmitter::Rows CpuAttentionEmitter::rows_of(int buffer, int strides, const Head& head) {
  const auto size = static_cast<std::int64_t>(byte_size(kernel_.dtype));
  Value* const* stride = &strides_[static_cast<std::size_t>(3 * strides)];
  Value* elements = plus(b_.CreateNSWMul(head.batch, stride[0]), b_.CreateNSWMul(head.head, stride[1]));
  return {kernel_.dtype,
          b_.CreateGEP(b_.getInt8Ty(), buffers_[static_cast<std::size_t>(buffer)], times(elements, size)),
          times(stride[2], size)};
}

CpuAttentionEmitter::Rows CpuAttentionEmitter::rows_of(AttentionPiece its_piece) {
  return {kernel_.computed(), piece(its_piece),
          i64(kernel_.width * static_cast<std::int64_t>(byte_size(kernel_.computed())))};
}

Value* CpuAttentionEmitter::numbers_of(int buffer, const Head& head, Value* count) {
  return place(buffers_[static_cast<std::size_t>(buffer)], b_.CreateNSWMul(head.number, count));
}

// Adds the halves of the vector until one lane is left.
Value* CpuAttentionEmitter::sum_of_lanes(Value* vector) {
  for (int half = side() / 2; half > 0; half /= 2) {
    std::vector<int> low, high;
    for (int i = 0; i < half; ++i) {
      low.push_back(i);
      high.push_back(half + i);
    }
    vector = b_.CreateFAdd(b_.CreateShuffleVector(vector, low), b_.CreateShuffleVector(vector, high));
  }
  return b_.CreateExtractElement(vector, std::uint64_t{0});
}

void CpuAttentionEmitter::clear(Value* numbers, Value* count) {
  emit_for_each(b_, i64(0), count, i64(side()),
                [&](Value* i) { store(llvm::ConstantFP::get(row_vector_, 0), place(numbers, i)); });
}

Value* CpuAttentionEmitter::exp(Value* x) {
  MathEmitter math(b_, vector_, target_);
  return math.exp_without_extremes(math.value(x)).v;
}

Value* CpuAttentionEmitter::log(Value* x) {
  MathEmitter math(b_, vector_, target_);
  return math.log(math.value(x)).v;
}

void CpuAttentionEmitter::for_each_unrolled(Value* begin, Value* end, int times,
                                            const std::function<void(Value*)>& body) {
  Value* const rest = b_.CreateSRem(minus(end, begin), i64(times));
  Value* const whole = minus(end, rest);
  emit_for_each(b_, begin, whole, i64(times), [&](Value* i) {
    for (int j = 0; j < times; ++j) body(plus(i, j));
  });
  if (times > 1 && !is_zero(rest)) emit_for_each(b_, whole, end, i64(1), body);
}

void CpuAttentionEmitter::for_tiles(Value* count, const std::function<void(Value*, int)>& body) {
  Value* const rest = b_.CreateSRem(count, i64(tiles_.rows));
  Value* const whole = minus(count, rest);
  emit_for_each(b_, i64(0), whole, i64(tiles_.rows), [&](Value* first) { body(first, tiles_.rows); });
  if (!is_zero(rest)) emit_for_each(b_, whole, count, i64(1), [&](Value* first) { body(first, 1); });
}

CpuAttentionEmitter::Sums CpuAttentionEmitter::sums(int rows, int vectors,
                                                    const std::function<Value*(int, int)>& start) {
  Sums sums{rows, vectors, {}};
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v) sums.variables.push_back(local(start(r, v)));
  return sums;
}

void CpuAttentionEmitter::add_products(const Sums& sums, Value* begin, Value* end,
                                       const std::function<Value*(int, Value*)>& number,
                                       const std::function<Value*(int, Value*)>& vector) {
  constexpr int times = 4;
  for_each_unrolled(begin, end, times, [&](Value* i) {
    std::vector<Value*> vectors;
    for (int v = 0; v < sums.vectors; ++v) vectors.push_back(load(sums.type(), vector(v, i)));
    const auto lanes = llvm::cast<llvm::FixedVectorType>(sums.type())->getNumElements();
    for (int r = 0; r < sums.rows; ++r) {
      Value* const factor = b_.CreateVectorSplat(lanes, b_.CreateLoad(number_, number(r, i)));
      for (int v = 0; v < sums.vectors; ++v)
        set(sums.at(r, v), multiply_add(factor, vectors[static_cast<std::size_t>(v)], get(sums.at(r, v))));
    }
  });
}

llvm::Function* CpuAttentionEmitter::outlined(int addresses, int numbers,
                                              const std::function<void(llvm::Function&)>& body) {
  std::vector<llvm::Type*> types(static_cast<std::size_t>(addresses), b_.getPtrTy());
  types.resize(static_cast<std::size_t>(addresses + numbers), b_.getInt64Ty());
  auto* const function = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), types, false),
                                                llvm::Function::InternalLinkage, "part", *function_->getParent());
  function->setAttributes(function_->getAttributes());
  const llvm::IRBuilder<>::InsertPointGuard guard(b_);
  llvm::BasicBlock* const before = entry_;
  entry_ = llvm::BasicBlock::Create(b_.getContext(), "entry", function);
  b_.SetInsertPoint(entry_);
  body(*function);
  end_function(b_);
  entry_ = before;
  return function;
}

void CpuAttentionEmitter::multiply_keys(const Rows& keys, Value* count, Value* panel, Value* result) {
  const auto emit = [&](llvm::Function& function) {
    const Rows rows{kernel_.computed(), function.getArg(0), function.getArg(3)};
    Value *const queries = function.getArg(1), *const to = function.getArg(2);
    for_tiles(function.getArg(4), [&](Value* first, int tile_rows) {
      const Sums tile = sums(tile_rows, 2, [&](int, int) { return splat(0.0); });
      std::vector<Value*> places;
      for (int r = 0; r < tile_rows; ++r) places.push_back(at(rows, plus(first, r)));
      add_products(
          tile, i64(0), i64(kernel_.width),
          [&](int r, Value* i) { return place(places[static_cast<std::size_t>(r)], i); },
          [&](int v, Value* i) { return at_vector(row_of_panel(queries, i), v); });
      for (int r = 0; r < tile_rows; ++r)
        for_vectors([&](int v) { store(get(tile.at(r, v)), at_vector(row_of_panel(to, plus(first, r)), v)); });
    });
  };
  if (!multiply_keys_) multiply_keys_ = outlined(3, 2, emit);
  b_.CreateCall(multiply_keys_, {keys.base, panel, result, keys.stride, count});
}

void CpuAttentionEmitter::add_weighted_rows(Value* panel, const Rows& its_rows, Value* count, Value* weights) {
  const auto emit = [&](llvm::Function& function) {
    const Rows rows{kernel_.computed(), function.getArg(1), function.getArg(3)};
    Value *const to = function.getArg(0), *const factors = function.getArg(2);
    for_tiles(i64(kernel_.width), [&](Value* column, int columns) {
      const auto sum_at = [&](int r, int v) { return at_vector(row_of_panel(to, plus(column, r)), v); };
      const Sums tile = sums(columns, 2, [&](int r, int v) { return load(sum_at(r, v)); });
      add_products(
          tile, i64(0), function.getArg(4), [&](int r, Value* row) { return place(at(rows, row), plus(column, r)); },
          [&](int v, Value* row) { return at_vector(row_of_panel(factors, row), v); });
      for (int r = 0; r < columns; ++r) for_vectors([&](int v) { store(get(tile.at(r, v)), sum_at(r, v)); });
    });
  };
  if (!add_weighted_rows_) add_weighted_rows_ = outlined(3, 2, emit);
  b_.CreateCall(add_weighted_rows_, {panel, its_rows.base, weights, its_rows.stride, count});
}

Value* CpuAttentionEmitter::if_seen(Value* score, Value* key, Value* first_query, int vector, double otherwise) {
  if (!kernel_.is_causal) return score;
  llvm::SmallVector<llvm::Constant*, 16> lanes;
  for (int lane = 0; lane < tiles_.lanes; ++lane) lanes.push_back(b_.getInt32(static_cast<std::uint32_t>(lane)));
  Value* first_lane = minus(minus(key, unseen_), plus(first_query, vector * tiles_.lanes));
  first_lane = b_.CreateTrunc(smaller(greater(first_lane, i64(0)), i64(tiles_.lanes)), b_.getInt32Ty());
  Value* const seen = b_.CreateICmpSGE(llvm::ConstantVector::get(lanes),
                                       b_.CreateVectorSplat(static_cast<unsigned>(tiles_.lanes), first_lane));
  return b_.CreateSelect(seen, score, splat(otherwise));
}

Value* CpuAttentionEmitter::keys_seen(Value* first, Value* count, Value* last_query) {
  if (!kernel_.is_causal) return count;
  return smaller(count, greater(i64(0), minus(plus(plus(last_query, unseen_), 1), first)));
}

int CpuAttentionEmitter::side() const { return std::gcd(tiles_.lanes, kernel_.width); }

Value* CpuAttentionEmitter::read(Value* row, DType dtype, Value* column) {
  ScalarEmitter scalars(b_, target_, side(), true);
  llvm::Type* const type = scalars.memory_type(dtype);
  Value* const from = b_.CreateGEP(type->getScalarType(), row, column);
  return scalars.from_memory(b_.CreateAlignedLoad(type, from, llvm::Align(byte_size(dtype))), dtype);
}

void CpuAttentionEmitter::write(Value* numbers, Value* row, DType dtype, Value* column) {
  ScalarEmitter scalars(b_, target_, side(), true);
  if (dtype != kernel_.computed()) numbers = llvm_value(scalars.convert(to_scalar(numbers, kernel_.computed()), dtype));
  Value* const to = b_.CreateGEP(scalars.memory_type(dtype)->getScalarType(), row, column);
  b_.CreateAlignedStore(scalars.to_memory(numbers, dtype), to, llvm::Align(byte_size(dtype)));
}

// Each round interleaves the first half of the vectors with the second one.
std::vector<Value*> CpuAttentionEmitter::transposed(std::vector<Value*> square) {
  const int side = static_cast<int>(square.size());
  std::vector<int> low, high;
  for (int i = 0; i < side / 2; ++i) {
    low.insert(low.end(), {i, side + i});
    high.insert(high.end(), {side / 2 + i, side + side / 2 + i});
  }
  for (int round = 1; round < side; round *= 2) {
    std::vector<Value*> next;
    for (std::size_t i = 0; i < square.size() / 2; ++i)
      for (const auto& mask : {low, high})
        next.push_back(b_.CreateShuffleVector(square[i], square[i + square.size() / 2], mask));
    square = std::move(next);
  }
  return square;
}

void CpuAttentionEmitter::for_squares(const Rows& rows, Value* first, Value* limit,
                                      const std::function<void(const Square&)>& body) {
  for (int lane = 0; lane < tiles_.panel(); lane += side()) {
    std::vector<Value*> numbers, places;
    for (int i = 0; i < side(); ++i) {
      numbers.push_back(plus(first, lane + i));
      places.push_back(at(rows, smaller(numbers.back(), minus(limit, i64(1)))));
    }
    emit_for_each(b_, i64(0), i64(kernel_.width), i64(side()), [&](Value* column) {
      std::vector<Value*> in_panel;
      for (int i = 0; i < side(); ++i) in_panel.push_back(plus(times(plus(column, i), tiles_.panel()), lane));
      body({numbers, places, in_panel, column});
    });
  }
}

void CpuAttentionEmitter::pack(const Rows& rows, Value* first, Value* limit, Value* panel, double factor) {
  for_squares(rows, first, limit, [&](const Square& square) {
    std::vector<Value*> numbers;
    for (Value* row : square.rows) numbers.push_back(read(row, rows.dtype, square.column));
    numbers = transposed(std::move(numbers));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (factor != 1) numbers[i] = b_.CreateFMul(numbers[i], llvm::ConstantFP::get(numbers[i]->getType(), factor));
      store(numbers[i], place(panel, square.in_panel[i]));
    }
  });
}

void CpuAttentionEmitter::unpack(Value* panel, const Rows& rows, Value* first, Value* limit) {
  for_squares(rows, first, limit, [&](const Square& square) {
    std::vector<Value*> numbers;
    for (Value* from : square.in_panel) numbers.push_back(load(row_vector_, place(panel, from)));
    numbers = transposed(std::move(numbers));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      emit_if(b_, b_.CreateICmpSLT(square.numbers[i], limit),
              [&] { write(numbers[i], square.rows[i], rows.dtype, square.column); });
  });
}

void CpuAttentionEmitter::copy_rows(const Rows& from, Value* count, const Rows& to) {
  emit_for_each(b_, i64(0), count, i64(1), [&](Value* row) {
    Value *const source = at(from, row), *const target = at(to, row);
    emit_for_each(b_, i64(0), i64(kernel_.width), i64(side()),
                  [&](Value* column) { write(read(source, from.dtype, column), target, to.dtype, column); });
  });
}

CpuAttentionEmitter::Rows CpuAttentionEmitter::widened(const Rows& rows, Value* count, AttentionPiece piece) {
  if (!kernel_.is_widened()) return rows;
  const Rows wide = rows_of(piece);
  copy_rows(rows, count, wide);
  return wide;
}

void emit_cpu_attention(llvm::Module& module, const CpuAttention& kernel, const std::string& name,
                        const Target& target) {
  const bool is_forward = kernel.part == CpuAttention::Part::forward;
  (is_forward ? emit_cpu_attention_forward : emit_cpu_attention_gradient)(module, kernel, name, target);
}

}  // namespace weft::compiler
