// The result of attention: each block goes over the keys with the running maximum of its rows' scores, and rescales what it has summed
// when the maximum grows.
#include <limits>

#include <llvm/IR/Intrinsics.h>

#include <weft/compiler/codegen/llvm/gpu_attention_emitter.h>

namespace weft::compiler {

namespace {

using llvm::Value;

class AttentionForward final : public AttentionEmitter {
 public:
  using AttentionEmitter::AttentionEmitter;

 private:
  // These belong to the rows in which this thread has elements: one for each row tile and half.
  struct RowState {
    Variable maximum;  // of the scores so far, before they are scaled
    Variable sum;      // of this thread's exponentials, relative to the maximum
    Value* seen;       // the row sees the keys before this one
  };

  void emit_block() override {
    const Rows q = rows_of(0, 0, queries_), k = rows_of(1, 1, keys_), v = rows_of(2, 2, keys_),
               y = rows_of(3, 3, queries_);
    Value* second_stage = i32(tiles_.stage_bytes);
    copy_rows(q, first_row_, tiles_.rows, second_stage);
    wait_for_tiles();
    q_ = left_rows(second_stage);
    for (int r = 0; r < tiles_.row_tiles; ++r) results_.push_back(sums(kernel_.width / 8));
    for (int r = 0; r < tiles_.row_tiles; ++r)
      for (int half = 0; half < 2; ++half)
        rows_.push_back({float_variable(least_), float_variable(number(0)), seen_by(row(r, half))});
    loop_over_tiles(k, v, key_bounds(), nullptr, [&](const Turn& turn) { add_tile(turn); });
    finish(y);
  }

  void add_tile(const Turn& turn) {
    std::vector<std::vector<Sum>> scores;
    for (int r = 0; r < tiles_.row_tiles; ++r) scores.push_back(sums(tiles_.columns / 8));
    for (int column = 0; column < kernel_.width; column += 16) {
      for (int key = 0; key < tiles_.columns; key += 16) {
        const Left right = right_of_rows(turn.stage, key, column);
        for (int r = 0; r < tiles_.row_tiles; ++r)
          for (int half = 0; half < 2; ++half)
            multiply_add(scores[r][key / 8 + half], q_[r][column / 16], right[2 * half], right[2 * half + 1]);
      }
    }
    for (int r = 0; r < tiles_.row_tiles; ++r)
      for (int half = 0; half < 2; ++half) take_exponentials(turn, scores[r], r, half);
    Value* values = plus(turn.stage, tiles_.tile_bytes);
    for (int key = 0; key < tiles_.columns; key += 16) {
      std::vector<Left> weights;
      for (int r = 0; r < tiles_.row_tiles; ++r)
        weights.push_back(rounded(values_of(scores[r][key / 8]), values_of(scores[r][key / 8 + 1])));
      add_rows(results_, weights, values, key);
    }
  }

  // Replaces the scores of one row of this thread by exponentials relative to the new maximum.
  void take_exponentials(const Turn& turn, std::vector<Sum>& scores, int row_tile, int half) {
    RowState& row = rows_[2 * row_tile + half];
    if (turn.is_masked) {
      Value* seen = minus(row.seen, plus(times(turn.tile, tiles_.columns), times(in_group_, 2)));
      for (std::size_t i = 0; i < scores.size(); ++i)
        for (int e = 0; e < 2; ++e) {
          Variable score = scores[i][2 * half + e];
          set(score, b_.CreateSelect(b_.CreateICmpSGT(seen, i32(static_cast<int>(8 * i) + e)), get(score), least_));
        }
    }
    Value* maximum = nullptr;
    for (const Sum& sum : scores)
      for (int e = 0; e < 2; ++e)
        maximum = maximum ? b_.CreateMaxNum(maximum, get(sum[2 * half + e])) : get(sum[2 * half + e]);
    Value* before = get(row.maximum);
    maximum = b_.CreateMaxNum(before, row_maximum(maximum));
    set(row.maximum, maximum);
    Value* offset = b_.CreateFNeg(scaled_maximum(maximum));
    Value* scale = number(score_scale() * log2_e);
    Value* shrink = matrices_->exp2(b_, fma(before, scale, offset));
    Value* sum = b_.CreateFMul(get(row.sum), shrink);
    for (const Sum& part : scores)
      for (int e = 0; e < 2; ++e) {
        Value* weight = matrices_->exp2(b_, fma(get(part[2 * half + e]), scale, offset));
        set(part[2 * half + e], weight);
        sum = b_.CreateFAdd(sum, weight);
      }
    set(row.sum, sum);
    for (const Sum& part : results_[row_tile])
      for (int e = 0; e < 2; ++e) set(part[2 * half + e], b_.CreateFMul(get(part[2 * half + e]), shrink));
  }

  // Returns the maximum as a power of two's exponent; 0 for a row that has seen no key, so that nothing becomes inf - inf.
  Value* scaled_maximum(Value* maximum) {
    Value* is_least = b_.CreateFCmpOEQ(maximum, least_);
    return b_.CreateSelect(is_least, number(0), b_.CreateFMul(maximum, number(score_scale() * log2_e)));
  }

  void finish(const Rows& y) {
    std::vector<Value*> factors;
    Value* log_sums = head_sums(4);
    for (int r = 0; r < tiles_.row_tiles; ++r) {
      for (int half = 0; half < 2; ++half) {
        const RowState& state = rows_[2 * r + half];
        Value* sum = row_sum(get(state.sum));
        Value* is_empty = b_.CreateFCmpOEQ(sum, number(0));
        factors.push_back(b_.CreateSelect(is_empty, number(0), b_.CreateFDiv(number(1), sum)));
        Value* log_sum = b_.CreateFMul(b_.CreateFAdd(scaled_maximum(get(state.maximum)), matrices_->log2(b_, sum)),
                                       number(1 / log2_e));
        Value* at = row(r, half);
        Value* is_mine = b_.CreateAnd(b_.CreateICmpEQ(in_group_, i32(0)), b_.CreateICmpSLT(at, queries_));
        if_then(is_mine, [&] {
          b_.CreateStore(log_sum, b_.CreateGEP(b_.getFloatTy(), log_sums, b_.CreateZExt(at, b_.getInt64Ty())));
        });
      }
    }
    store_rows(y, results_, [&](int r, int half) { return factors[2 * r + half]; }, i32(0));
  }

  Value* const least_ = llvm::ConstantFP::getInfinity(b_.getFloatTy(), true);
  std::vector<std::vector<Left>> q_;       // [row tile][16 columns]
  std::vector<std::vector<Sum>> results_;  // [row tile][8 columns]
  std::vector<RowState> rows_;
};

}  // namespace

std::unique_ptr<AttentionEmitter> attention_forward(llvm::Function& function, const AttentionKernel& kernel,
                                                    const Target& target) {
  return std::make_unique<AttentionForward>(function, kernel, target);
}

}  // namespace weft::compiler
