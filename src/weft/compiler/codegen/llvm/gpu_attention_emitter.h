// The common part of the kernels of attention: tiles in shared memory, matrices in registers, and the loop over tiles. Internal.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include <weft/compiler/codegen/llvm/control_flow.h>
#include <weft/compiler/codegen/llvm/gpu_attention.h>
#include <weft/compiler/codegen/llvm/gpu_machine.h>
#include <weft/compiler/codegen/llvm/gpu_matrices.h>

namespace weft::compiler {

class AttentionEmitter {
 public:
  AttentionEmitter(llvm::Function& function, const AttentionKernel& kernel, const Target& target);
  virtual ~AttentionEmitter() = default;
  void emit();

 protected:
  using Value = llvm::Value;
  using Left = std::array<Value*, 4>;
  // A variable in a register.
  using Variable = llvm::AllocaInst*;
  using Sum = std::array<Variable, 4>;
  using Sums = std::vector<std::vector<Sum>>;    // [row tile][8 columns]
  using Lefts = std::vector<std::vector<Left>>;  // [row tile][16 columns]

  // The rows of one head of a buffer.
  struct Rows {
    Value* first = nullptr;   // the address of row 0
    Value* stride = nullptr;  // bytes from a row to the next, as i32, which is one instruction to multiply with
    Value* count = nullptr;   // as i32
  };

  virtual void emit_block() = 0;

  // ---- arithmetic on i32, unless values are i64
  llvm::ConstantInt* i32(int value) { return b_.getInt32(static_cast<std::uint32_t>(value)); }
  Value* plus(Value* a, Value* b) { return b_.CreateAdd(a, b, "", false, true); }
  Value* plus(Value* a, int b) { return b == 0 ? a : plus(a, i32(b)); }
  Value* minus(Value* a, Value* b) { return b_.CreateSub(a, b, "", false, true); }
  Value* times(Value* a, Value* b) { return b_.CreateMul(a, b, "", false, true); }
  Value* times(Value* a, int b) { return times(a, i32(b)); }
  Value* least(Value* a, Value* b) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b); }
  Value* most(Value* a, Value* b) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b); }
  // Returns how many groups of `size` rows hold so many rows.
  Value* groups(Value* rows, int size) { return b_.CreateUDiv(plus(rows, size - 1), i32(size)); }
  Value* number(double value) { return llvm::ConstantFP::get(b_.getFloatTy(), value); }
  Value* fma(Value* a, Value* b, Value* c) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {b_.getFloatTy()}, {a, b, c});
  }

  // ---- variables
  Variable variable(llvm::Type* type);
  Variable float_variable(Value* initial);
  Value* get(Variable variable) { return b_.CreateLoad(variable->getAllocatedType(), variable); }
  void set(Variable variable, Value* value) { b_.CreateStore(value, variable); }
  std::vector<Sum> sums(int count);  // all 0
  Sums row_sums(int columns);        // all 0, of this warp's rows

  void if_then(Value* condition, const std::function<void()>& body) { emit_if(b_, condition, body); }

  // ---- rows of buffers
  Value* parameter(int place);  // as i32
  Value* wide_parameter(int place);
  // Returns the rows of this block's head of a buffer, whose strides are the `strided`th ones.
  Rows rows_of(int buffer, int strided, Value* count);
  // Returns the address of this head's part of a buffer [batch, heads, queries] of f32.
  Value* head_sums(int buffer);
  Value* address(const Rows& rows, Value* row) {
    const auto wide = [&](Value* x) { return b_.CreateSExt(x, b_.getInt64Ty()); };
    return b_.CreateGEP(b_.getInt8Ty(), rows.first, times(wide(row), wide(rows.stride)));
  }

  // ---- shared memory; addresses are bytes in it
  Value* shared(Value* bytes) { return b_.CreateGEP(b_.getInt8Ty(), machine_->shared(b_), bytes); }
  // Returns where the 16-byte piece of a row lies that begins `column` bytes behind the row's begin, in a tile with so many rows.
  Value* piece(Value* tile, int rows, Value* row, Value* column);
  // Visits the 16-byte pieces of a tile's rows that this thread copies: row + further, and their place in the row in bytes.
  void for_each_piece(int rows, const std::function<void(Value* row, Value* column, int further)>& visit);
  // Begins to copy `count` rows, from row `first` on, to a tile; rows that do not exist are 0.
  void copy_rows(const Rows& rows, Value* first, int count, Value* tile);
  // Begins to copy the f32 number first + thread to the place `thread` of a list of f32; it is 0 if there are only `count` numbers.
  void copy_sums(Value* from, Value* first, Value* count, Value* to, Value* thread);
  // Waits until all threads' copies are there.
  void wait_for_tiles();

  // ---- matrices; rows and columns are counted within the tile
  // Returns the address of an element that lies so many rows and columns behind a place in a tile.
  Value* within(Value* place, int row, int column);
  // Returns the left operands of this warp's rows of a tile that has the rows of the block: for each 16 rows those of all columns.
  Lefts left_rows(Value* tile);
  // Rounds sums, or other values of their elements, to left operands.
  Lefts rounded(const Sums& sums);

  // Loops over the tiles [begin, end) of two buffers' rows. Those before `change` are computed with a mask if is_masked_first, else those
  // from `change` on, which must lie in [begin, end]. While one turn works, the next tiles are copied; `copy_more` copies what else
  // belongs to a stage.
  struct Bounds {
    Value *begin, *change, *end;
    bool is_masked_first = false;
  };
  struct Turn {
    Value* tile;   // its number
    Value* stage;  // where the tile of the first buffer begins in shared memory; that of the second follows
    bool is_masked;
  };
  using CopyMore = std::function<void(Value* first_row, Value* stage)>;
  using Body = std::function<void(const Turn& turn)>;
  struct Loop {
    Rows first, second;
    Bounds bounds;
    CopyMore copy_more;
    // The second buffer is one tile behind the first: its tile of the first turn is 0, and its last one is there after the loop.
    bool is_second_behind = false;
    Variable stage = nullptr;  // of the next turn
  };
  // Begins to copy the first tiles to the first stage, whose last readers must be done.
  void begin_loop(Loop& loop);
  // Takes all turns.
  void run_loop(const Loop& loop, const Body& body);

  // ---- products (gpu_attention_products.cpp). With warpgroups they only begin: until they have been waited for, neither their sums nor
  // their left operands may be used, and the tile may not change. Products end in the order in which they began.

  // Returns left * the transposed rows [row, row + count) of a tile.
  Sums multiply(const Lefts& lefts, Value* tile, int row, int count);
  // Adds left * the tile's rows from `row` on, all columns, to the sums.
  void add_rows(Sums& sums, const Lefts& lefts, Value* tile, int row);
  // Waits for the oldest product, of which these are the sums and left operands, while so many that began later go on. Computes `ready`
  // before it waits.
  void wait_for(Sums& sums, const Lefts& lefts, int later = 0, const Sums& ready = {});
  // Emits the body for the warpgroups to which the mask leaves something of the tile.
  void if_seen(const Turn& turn, Value* is_seen, const std::function<void()>& body);

  // Returns the f32 that the thread whose number differs by the bits of `distance` passes.
  Value* exchanged(Value* x, int distance);
  // Return the sum and the maximum of a value over the four threads that share its row.
  Value* row_sum(Value* x);
  Value* row_maximum(Value* x);

  // Returns the first row of this thread's warpgroup, within this head.
  Value* warpgroup_row() { return plus(first_row_, times(b_.CreateLShr(thread_, i32(7)), warpgroup_rows)); }
  // Returns the row, within this head, of which this thread has elements: those of half 0 or 1 of its 16 rows.
  Value* row(int row_tile, int half) {
    return plus(plus(first_row_, warp_row_), plus(group_, row_tile * 16 + half * 8));
  }
  // Writes sums, times a factor for each row tile and half, to the block's rows of a buffer, through shared memory from `tile` on.
  using Scale = std::function<Value*(int row_tile, int half)>;
  void store_rows(const Rows& rows, const Sums& sums, Scale scale, Value* tile);

  // Returns how many keys a query sees, and the bounds of a loop over the keys of this block's queries.
  Value* seen_by(Value* query);
  // Returns whether a query of this warpgroup sees a key of the tile.
  Value* sees_tile(const Turn& turn) {
    return b_.CreateICmpSGT(seen_by(plus(warpgroup_row(), warpgroup_rows - 1)), times(turn.tile, tiles_.columns));
  }
  Bounds key_bounds();

  // Return the values of a sum, and the two elements of an i32 as f32.
  std::array<Value*, 4> values_of(const Sum& sum) { return {get(sum[0]), get(sum[1]), get(sum[2]), get(sum[3])}; }
  std::array<Value*, 2> widened(Value* pair);

  static constexpr int warpgroup_rows = 64;
  static constexpr double log2_e = 1.44269504088896340736;
  double score_scale() const;  // 1 / sqrt(width)
  bool has_warpgroups() const { return tiles_.panel_bytes > 0; }

 private:
  void copy_stage(const Loop& loop, Value* tile, Value* stage);
  Left rounded(const Sum& first, const Sum& second);
  Left right_of_rows(Value* tile, int row, int column);
  Left right_of_columns(Value* tile, int row, int column);
  void multiply_add(Sum& sum, const Left& left, Value* right0, Value* right1);
  void begin_product(std::vector<Sum>& sums, bool adds, const std::vector<Left>& left, const SharedMatrix& right);

 protected:
  llvm::Function& function_;
  const AttentionKernel& kernel_;
  const AttentionTiles tiles_;
  llvm::IRBuilder<> b_;
  const std::unique_ptr<GpuMachine> machine_;
  const std::unique_ptr<GpuMatrices> matrices_;
  // This thread: its number, in its warp / 4 and % 4, and the first row of its warp in the block.
  Value *thread_ = nullptr, *group_ = nullptr, *in_group_ = nullptr, *warp_row_ = nullptr;
  Value* lane_ = nullptr;  // its number in its warp
  Value *left_lane_ = nullptr,
        *right_lane_ = nullptr;                 // bytes of this thread's row in the addresses of GpuMatrices::load
  Value *queries_ = nullptr, *keys_ = nullptr;  // how many
  Value *head_ = nullptr, *batch_ = nullptr, *head_of_all_ = nullptr;
  Value *block_row_ = nullptr, *row_blocks_ = nullptr;  // the number of this row block, and of all of a head
  Value* first_row_ = nullptr;                          // of this block
};

std::unique_ptr<AttentionEmitter> attention_forward(llvm::Function& function, const AttentionKernel& kernel,
                                                    const Target& target);
std::unique_ptr<AttentionEmitter> attention_query_gradient(llvm::Function& function, const AttentionKernel& kernel,
                                                           const Target& target);
std::unique_ptr<AttentionEmitter> attention_key_gradient(llvm::Function& function, const AttentionKernel& kernel,
                                                         const Target& target);

}  // namespace weft::compiler
