#include <llvm/IR/Intrinsics.h>

#include <weft/compiler/codegen/llvm/loop_emitter_class.h>
#include <weft/compiler/codegen/llvm/vector_shuffles.h>

namespace weft::compiler {

using llvm::Value;

void LoopEmitter::emit_tile_task(Value* task) {
  tiles_.resize(loop_.exprs.size());
  for (std::size_t id = 0; id < tiles_.size(); ++id)
    if (is_transposed(loop_.exprs[id])) tiles_[id] = local(tile_type(loop_.exprs[id].dtype));
  const auto groups = [&](Value* n, int each) { return b_.CreateUDiv(b_.CreateAdd(n, i64(each - 1)), i64(each)); };
  const auto end_of = [&](Value* first, int count, Value* all) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateAdd(first, i64(count)), all);
  };
  const int side = loop_.tiling.block, last = loop_.rows - 1;
  Value *lanes = number(loop_.sizes[lane_axis()]), *rows = number(loop_.sizes[last]);
  Value *blocks = groups(lanes, side), *row_groups = groups(rows, loop_.tiling.rows_together);
  Value* first_lane = b_.CreateMul(b_.CreateURem(task, blocks), i64(side));
  Value* group = b_.CreateUDiv(task, blocks);
  Value* first_row = b_.CreateMul(b_.CreateURem(group, row_groups), i64(loop_.tiling.rows_together));
  decode_rows(b_.CreateAdd(b_.CreateMul(b_.CreateUDiv(group, row_groups), rows), first_row));
  Value *lane_end = end_of(first_lane, side, lanes), *row_end = end_of(first_row, loop_.tiling.rows_together, rows);
  const auto fits = [&](Value* first, Value* end) { return b_.CreateICmpSLE(b_.CreateAdd(first, i64(width_)), end); };
  // Whole cache lines are written at once, since rows that lie a power of two apart push each other out of the cache.
  const int line = std::max(width_, 64 / byte_size(loop_.buffers[loop_.stores[0].buffer]));
  for_each(first_lane, lane_end, i64(line), [&](Value* first_of_line) {
    Value* line_end = end_of(first_of_line, line, lane_end);
    for_each(first_row, row_end, i64(width_), [&](Value* row) {
      for_each(first_of_line, line_end, i64(width_), [&](Value* lane) {
        Value* whole = b_.CreateAnd(fits(lane, lane_end), fits(row, row_end));
        if_then(whole, [&] { emit_tile(row, lane, false); });
        if_then(b_.CreateNot(whole), [&] { emit_tile(row, lane, true); });
      });
    });
  });
  axes_[lane_axis()] = nullptr;
}

void LoopEmitter::emit_tile(Value* first_row, Value* first_lane, bool is_edge) {
  for (std::size_t id = 0; id < tiles_.size(); ++id)
    if (tiles_[id]) read_tile(static_cast<ExprId>(id), first_row, first_lane, is_edge);
  const int last = loop_.rows - 1;
  Value* mask = nullptr;
  if (is_edge) mask = lanes_between(nullptr, b_.CreateSub(number(loop_.sizes[lane_axis()]), first_lane));
  const auto emit_row = [&](Value* row) {
    row_of_tile_ = row;
    axes_[last] = b_.CreateAdd(first_row, row);
    axes_[lane_axis()] = first_lane;
    forget_row();
    emit_row_values(0);
    emit_vector(first_lane, mask, 0, 0);
  };
  constexpr std::size_t few_expressions = 8;  // their rows need no loop, and then the tile stays in registers
  if (is_edge) {
    Value* rows = b_.CreateSub(number(loop_.sizes[last]), first_row);
    for_each(i64(0), b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, rows, i64(width_)), i64(1), emit_row);
  } else if (loop_.exprs.size() > few_expressions) {
    for_each(i64(0), i64(width_), i64(1), emit_row);
  } else {
    for (int row = 0; row < width_; ++row) emit_row(i64(row));
  }
}

void LoopEmitter::read_tile(ExprId id, Value* first_row, Value* first_lane, bool is_edge) {
  const Expr& e = loop_.exprs[id];
  const std::vector<Value*> rows = read_transposed(e, loop_.rows - 1, first_row, first_lane, is_edge);
  for (int i = 0; i < width_; ++i)
    b_.CreateStore(rows[i], b_.CreateGEP(tile_type(e.dtype), tiles_[id], {i64(0), i64(i)}));
}

std::vector<Value*> LoopEmitter::read_transposed(const Expr& e, int axis, Value* first_point, Value* first_lane,
                                                 bool is_edge) {
  llvm::Type *element = one_.memory_type(e.dtype), *type = many_.memory_type(e.dtype);
  const llvm::Align align(byte_size(e.dtype));
  Value* mask = nullptr;
  if (is_edge) mask = lanes_between(nullptr, b_.CreateSub(number(loop_.sizes[axis]), first_point));
  axes_[axis] = first_point;
  std::vector<Value*> lanes;
  for (int i = 0; i < width_; ++i) {
    Value* lane = b_.CreateAdd(first_lane, i64(i));
    if (is_edge) {  // reads the last lane again instead of lanes that do not exist
      Value* last_lane = b_.CreateSub(number(loop_.sizes[lane_axis()]), i64(1));
      lane = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, lane, last_lane);
    }
    axes_[lane_axis()] = lane;
    Value* address = b_.CreateGEP(element, buffers_[e.buffer], scalar_position(e.position));
    lanes.push_back(mask ? b_.CreateMaskedLoad(type, address, align, mask, llvm::Constant::getNullValue(type))
                         : static_cast<Value*>(b_.CreateAlignedLoad(type, address, align)));
  }
  return transposed(b_, std::move(lanes), byte_size(e.dtype));
}

Value* LoopEmitter::load_of_tile(ExprId id, const Place& place) {
  const DType dtype = loop_.exprs[id].dtype;
  Value* address = b_.CreateGEP(tile_type(dtype), tiles_[id], {i64(0), row_of_tile_});
  return emitter(place).from_memory(b_.CreateLoad(many_.memory_type(dtype), address), dtype);
}

}  // namespace weft::compiler
