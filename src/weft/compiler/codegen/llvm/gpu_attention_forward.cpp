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
    Loop loop{k, v, key_bounds(), nullptr, kernel_.overlaps};
    Value* second_stage = i32(tiles_.stage_bytes);
    copy_rows(q, first_row_, tiles_.rows, second_stage);
    begin_loop(loop);
    wait_for_tiles();
    q_ = left_rows(second_stage);
    results_ = row_sums(kernel_.width);
    for (int r = 0; r < tiles_.row_tiles; ++r)
      for (int half = 0; half < 2; ++half)
        rows_.push_back({float_variable(least_), float_variable(number(0)), seen_by(row(r, half))});
    if (kernel_.overlaps) {
      for (int key = 0; key < tiles_.columns; key += 16) {
        std::array<Variable, 4>& left = weights_.emplace_back();
        for (Variable& part : left) set(part = variable(b_.getInt32Ty()), i32(0));
      }
      run_loop(loop, [&](const Turn& turn) { add_tile_with_overlap(turn); });
      wait_for_tiles();
      const Lefts weights = last_weights();
      add_rows(results_, weights, plus(get(loop.stage), tiles_.tile_bytes), 0);
      wait_for(results_, weights);
    } else {
      run_loop(loop, [&](const Turn& turn) { if_seen(turn, sees_tile(turn), [&] { add_tile(turn); }); });
    }
    finish(y);
  }

  void add_tile(const Turn& turn) {
    Sums scores = multiply(q_, turn.stage, 0, tiles_.columns);
    wait_for(scores, q_);
    for (int r = 0; r < tiles_.row_tiles; ++r)
      for (int half = 0; half < 2; ++half) shrink(r, half, take_exponentials(turn, scores[r], r, half));
    const Lefts weights = rounded(scores);
    add_rows(results_, weights, plus(turn.stage, tiles_.tile_bytes), 0);
    wait_for(results_, weights);
  }

  // Multiplies the weights of the tile before with its values while it computes the exponentials of this one.
  void add_tile_with_overlap(const Turn& turn) {
    Sums scores = multiply(q_, turn.stage, 0, tiles_.columns);
    const Lefts weights = last_weights();
    add_rows(results_, weights, plus(turn.stage, tiles_.tile_bytes), 0);
    wait_for(scores, q_, 1);
    std::array<Value*, 2> factors;
    for (int half = 0; half < 2; ++half) factors[half] = take_exponentials(turn, scores[0], 0, half);
    wait_for(results_, weights, 0, scores);
    for (int half = 0; half < 2; ++half) shrink(0, half, factors[half]);
    const Lefts next = rounded(scores);
    for (std::size_t i = 0; i < weights_.size(); ++i)
      for (int part = 0; part < 4; ++part) set(weights_[i][part], next[0][i][part]);
  }

  Lefts last_weights() {
    Lefts lefts(1);
    for (const auto& left : weights_) lefts[0].push_back({get(left[0]), get(left[1]), get(left[2]), get(left[3])});
    return lefts;
  }

  void shrink(int row_tile, int half, Value* factor) {
    for (const Sum& part : results_[row_tile])
      for (int e = 0; e < 2; ++e) set(part[2 * half + e], b_.CreateFMul(get(part[2 * half + e]), factor));
  }

  // Replaces the scores of one row of this thread by exponentials relative to the new maximum. Returns the factor by which what has been
  // summed before shrinks.
  Value* take_exponentials(const Turn& turn, std::vector<Sum>& scores, int row_tile, int half) {
    RowState& row = rows_[2 * row_tile + half];
    if (turn.is_masked) {
      Value* seen = minus(row.seen, plus(times(turn.tile, tiles_.columns), times(in_group_, 2)));
      for (std::size_t i = 0; i < scores.size(); ++i)
        for (int e = 0; e < 2; ++e) {
          Variable score = scores[i][2 * half + e];
          set(score, b_.CreateSelect(b_.CreateICmpSGT(seen, i32(static_cast<int>(8 * i) + e)), get(score), least_));
        }
    }
    Value* maximum = combined(nullptr, scores, half, [&](Value* a, Value* b) { return b_.CreateMaxNum(a, b); });
    Value* before = get(row.maximum);
    maximum = b_.CreateMaxNum(before, row_maximum(maximum));
    set(row.maximum, maximum);
    Value* offset = b_.CreateFNeg(scaled_maximum(maximum));
    Value* scale = number(score_scale() * log2_e);
    Value* shrink = matrices_->exp2(b_, fma(before, scale, offset));
    for (const Sum& part : scores)
      for (int e = 0; e < 2; ++e)
        set(part[2 * half + e], matrices_->exp2(b_, fma(get(part[2 * half + e]), scale, offset)));
    Value* sum = b_.CreateFMul(get(row.sum), shrink);
    set(row.sum, combined(sum, scores, half, [&](Value* a, Value* b) { return b_.CreateFAdd(a, b); }));
    return shrink;
  }

  // Combines this thread's elements of a row, behind a first value if there is one. Warpgroups, which run fewer warps at once, do it in four
  // chains, so that no instruction waits for the one before.
  Value* combined(Value* first, const std::vector<Sum>& sums, int half,
                  const std::function<Value*(Value*, Value*)>& combine) {
    std::vector<Value*> chains(has_warpgroups() ? 4 : 1);
    chains[0] = first;
    for (std::size_t i = 0; i < 2 * sums.size(); ++i) {
      Value*& chain = chains[i % chains.size()];
      Value* element = get(sums[i / 2][2 * half + static_cast<int>(i % 2)]);
      chain = chain ? combine(chain, element) : element;
    }
    Value* all = chains[0];
    for (std::size_t i = 1; i < chains.size(); ++i) all = combine(all, chains[i]);
    return all;
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
  Lefts q_;
  Sums results_;
  std::vector<std::array<Variable, 4>> weights_;  // with overlap: those of the tile before
  std::vector<RowState> rows_;
};

}  // namespace

std::unique_ptr<AttentionEmitter> attention_forward(llvm::Function& function, const AttentionKernel& kernel,
                                                    const Target& target) {
  return std::make_unique<AttentionForward>(function, kernel, target);
}

}  // namespace weft::compiler
