// The gradients of attention. As the sums of the scores' exponentials are known, tiles are independent of each other; 16 columns of a tile
// are computed at a time.
//   weights = exp(scores - log_sum)     d_values = weights^T d_result     d_weights = d_result values^T
//   d_scores = weights * (d_weights - sum(result * d_result))     d_queries = d_scores keys     d_keys = d_scores^T queries
#include <llvm/IR/Intrinsics.h>

#include <weft/compiler/codegen/llvm/gpu_attention_emitter.h>

namespace weft::compiler {

namespace {

using llvm::Value;

class AttentionGradient : public AttentionEmitter {
 public:
  using AttentionEmitter::AttentionEmitter;

 protected:
  using Scores = std::array<Sum, 2>;  // [16, 8] and [16, 8]

  // Returns for each row tile the products of its rows with the 16 rows of a tile from `row` on.
  std::vector<Scores> products(const std::vector<std::vector<Left>>& rows, Value* tile, int row) {
    std::vector<Scores> all(rows.size());
    for (Scores& scores : all)
      for (Sum& sum : scores) sum = sums(1)[0];
    for (int column = 0; column < kernel_.width; column += 16) {
      const Left right = right_of_rows(tile, row, column);
      for (std::size_t r = 0; r < rows.size(); ++r)
        for (int half = 0; half < 2; ++half)
          multiply_add(all[r][half], rows[r][column / 16], right[2 * half], right[2 * half + 1]);
    }
    return all;
  }

  // Visits this thread's elements of all row tiles' Scores: scores[row_tile][part][2 * half + e].
  void for_each_score(const std::function<void(int row_tile, int part, int half, int e)>& visit) {
    for (int part = 0; part < 2; ++part)
      for (int e = 0; e < 2; ++e)
        for (int r = 0; r < tiles_.row_tiles; ++r)
          for (int half = 0; half < 2; ++half) visit(r, part, half, e);
  }

  // Returns exp(scale * product - log_sum), where minus_log_sum is to base 2.
  Value* weight(Value* product, Value* minus_log_sum) {
    return matrices_->exp2(b_, fma(product, number(score_scale() * log2_e), minus_log_sum));
  }
  Value* to_base_2(Value* log_sum) { return b_.CreateFMul(log_sum, number(-log2_e)); }

  std::vector<Left> rounded_all(const std::vector<Scores>& all) {
    std::vector<Left> lefts;
    for (const Scores& scores : all) lefts.push_back(rounded(values_of(scores[0]), values_of(scores[1])));
    return lefts;
  }
};

// Goes over the keys that a block of queries sees.
class QueryGradient final : public AttentionGradient {
 public:
  using AttentionGradient::AttentionGradient;

 private:
  struct RowState {
    Value *minus_log_sum, *sum;  // to base 2; of result * d_result
    Value* seen;                 // the row sees the keys before this one
  };

  void emit_block() override {
    const Rows q = rows_of(0, 0, queries_), k = rows_of(1, 1, keys_), v = rows_of(2, 2, keys_),
               dy = rows_of(3, 3, queries_), y = rows_of(4, 4, queries_), dq = rows_of(6, 5, queries_);
    Value* second_stage = i32(tiles_.stage_bytes);
    copy_rows(q, first_row_, tiles_.rows, i32(0));
    copy_rows(dy, first_row_, tiles_.rows, second_stage);
    wait_for_tiles();
    q_ = left_rows(i32(0));
    dy_ = left_rows(second_stage);
    find_row_states(y);
    for (int r = 0; r < tiles_.row_tiles; ++r) gradients_.push_back(sums(kernel_.width / 8));
    loop_over_tiles(k, v, key_bounds(), nullptr, [&](const Turn& turn) {
      for (int key = 0; key < tiles_.columns; key += 16) add_keys(turn, key);
    });
    store_rows(dq, gradients_, [&](int, int) { return number(score_scale()); }, i32(0));
  }

  void find_row_states(const Rows& y) {
    Value *log_sums = head_sums(5), *all_sums = head_sums(7);
    for (int r = 0; r < tiles_.row_tiles; ++r) {
      for (int half = 0; half < 2; ++half) {
        Value* at = row(r, half);
        Value* exists = b_.CreateICmpSLT(at, queries_);
        Value* safe = b_.CreateSelect(exists, at, i32(0));
        Value* place = b_.CreateZExt(safe, b_.getInt64Ty());
        Value* sum = row_sum(sum_of_products(y, safe, dy_[r], half));
        if_then(b_.CreateAnd(exists, b_.CreateICmpEQ(in_group_, i32(0))),
                [&] { b_.CreateStore(sum, b_.CreateGEP(b_.getFloatTy(), all_sums, place)); });
        Value* log_sum = b_.CreateLoad(b_.getFloatTy(), b_.CreateGEP(b_.getFloatTy(), log_sums, place));
        rows_.push_back({to_base_2(log_sum), sum, seen_by(at)});
      }
    }
  }

  // Returns the sum over this thread's elements of a row.
  Value* sum_of_products(const Rows& y, Value* at, const std::vector<Left>& dy, int half) {
    Value* sum = number(0);
    Value* base = b_.CreateGEP(b_.getInt8Ty(), address(y, at), b_.CreateZExt(times(in_group_, 4), b_.getInt64Ty()));
    for (int column = 0; column < kernel_.width; column += 8) {
      Value* place = b_.CreateConstGEP1_32(b_.getInt8Ty(), base, static_cast<unsigned>(2 * column));
      Value* loaded = b_.CreateAlignedLoad(b_.getInt32Ty(), place, llvm::Align(4));
      const auto mine = widened(loaded), other = widened(dy[column / 16][2 * (column / 8 % 2) + half]);
      for (int e = 0; e < 2; ++e) sum = fma(mine[e], other[e], sum);
    }
    return sum;
  }

  void add_keys(const Turn& turn, int key) {
    const std::vector<Scores> weights = products(q_, turn.stage, key);
    Value* seen_from = plus(times(turn.tile, tiles_.columns), times(in_group_, 2));
    for_each_score([&](int r, int part, int half, int e) {
      const RowState& state = rows_[2 * r + half];
      Variable place = weights[r][part][2 * half + e];
      Value* w = weight(get(place), state.minus_log_sum);
      if (turn.is_masked) {
        Value* is_seen = b_.CreateICmpSGT(minus(state.seen, seen_from), i32(key + 8 * part + e));
        w = b_.CreateSelect(is_seen, w, number(0));
      }
      set(place, w);
    });
    const std::vector<Scores> d_scores = products(dy_, plus(turn.stage, tiles_.tile_bytes), key);
    for_each_score([&](int r, int part, int half, int e) {
      Variable place = d_scores[r][part][2 * half + e];
      Value* difference = b_.CreateFSub(get(place), rows_[2 * r + half].sum);
      set(place, b_.CreateFMul(get(weights[r][part][2 * half + e]), difference));
    });
    add_rows(gradients_, rounded_all(d_scores), turn.stage, key);
  }

  std::vector<std::vector<Left>> q_, dy_;
  std::vector<std::vector<Sum>> gradients_;
  std::vector<RowState> rows_;
};

// Goes over the queries that see a block of keys. A tile of queries is followed in its stage by their log sums, and these by their sums of
// result * d_result. Queries that do not exist are 0, and so is what they add.
class KeyGradient final : public AttentionGradient {
 public:
  using AttentionGradient::AttentionGradient;

 private:
  void emit_block() override {
    const Rows q = rows_of(0, 0, queries_), k = rows_of(1, 1, keys_), v = rows_of(2, 2, keys_),
               dy = rows_of(3, 3, queries_), dk = rows_of(6, 4, keys_), dv = rows_of(7, 5, keys_);
    Value *log_sums = head_sums(4), *all_sums = head_sums(5);
    Value* second_stage = i32(tiles_.stage_bytes);
    copy_rows(k, first_row_, tiles_.rows, i32(0));
    copy_rows(v, first_row_, tiles_.rows, second_stage);
    wait_for_tiles();
    k_ = left_rows(i32(0));
    v_ = left_rows(second_stage);
    for (int r = 0; r < tiles_.row_tiles; ++r) {
      dk_.push_back(sums(kernel_.width / 8));
      dv_.push_back(sums(kernel_.width / 8));
      for (int half = 0; half < 2; ++half) first_queries_.push_back(minus(row(r, half), minus(keys_, queries_)));
    }
    const auto copy_more = [&](Value* first, Value* stage) {
      const int columns = tiles_.columns;
      Value* sums = plus(stage, 2 * tiles_.tile_bytes);
      if_then(b_.CreateICmpULT(thread_, i32(columns)), [&] { copy_sums(log_sums, first, queries_, sums, thread_); });
      Value* other = plus(thread_, -columns);
      if_then(b_.CreateICmpULT(other, i32(columns)),
              [&] { copy_sums(all_sums, first, queries_, plus(sums, 4 * columns), other); });
    };
    loop_over_tiles(q, dy, query_bounds(), copy_more, [&](const Turn& turn) {
      for (int query = 0; query < tiles_.columns; query += 16) add_queries(turn, query);
    });
    store_rows(dk, dk_, [&](int, int) { return number(score_scale()); }, i32(0));
    store_rows(dv, dv_, [&](int, int) { return number(1); }, i32(0));
  }

  // Without a mask, each key is seen by every query; causal, by those from row - (keys - queries) on.
  Bounds query_bounds() {
    Value* end = groups(queries_, tiles_.columns);
    if (!kernel_.is_causal) return {i32(0), i32(0), end, true};
    Value* unseen = minus(keys_, queries_);
    Value* first = most(i32(0), minus(first_row_, unseen));                         // sees the block's first key
    Value* whole = most(i32(0), minus(plus(first_row_, tiles_.rows - 1), unseen));  // sees all of them
    Value* begin = least(end, b_.CreateUDiv(first, i32(tiles_.columns)));
    return {begin, most(begin, least(end, groups(whole, tiles_.columns))), end, true};
  }

  void add_queries(const Turn& turn, int query) {
    Value* d_results = plus(turn.stage, tiles_.tile_bytes);
    Value* seen_from = plus(times(turn.tile, tiles_.columns), times(in_group_, 2));
    const std::vector<Scores> weights = products(k_, turn.stage, query);
    for_each_score([&](int r, int part, int half, int e) {
      Variable place = weights[r][part][2 * half + e];
      Value* w = weight(get(place), to_base_2(query_sum(turn, 0, query + 8 * part, e)));
      if (turn.is_masked) {
        Value* unseen = minus(first_queries_[2 * r + half], seen_from);
        w = b_.CreateSelect(b_.CreateICmpSLE(unseen, i32(query + 8 * part + e)), w, number(0));
      }
      set(place, w);
    });
    add_rows(dv_, rounded_all(weights), d_results, query);
    const std::vector<Scores> d_scores = products(v_, d_results, query);
    for_each_score([&](int r, int part, int half, int e) {
      Variable place = d_scores[r][part][2 * half + e];
      Value* difference = b_.CreateFSub(get(place), query_sum(turn, 1, query + 8 * part, e));
      set(place, b_.CreateFMul(get(weights[r][part][2 * half + e]), difference));
    });
    add_rows(dk_, rounded_all(d_scores), turn.stage, query);
  }

  // Returns a sum of one of this thread's two queries: its log sum, or that of result * d_result.
  Value* query_sum(const Turn& turn, int which, int query, int e) {
    Value* mine = shared(plus(turn.stage, times(in_group_, 8)));
    const int bytes = 2 * tiles_.tile_bytes + 4 * (which * tiles_.columns + query);
    Value* place = b_.CreateConstGEP1_32(b_.getInt8Ty(), mine, static_cast<unsigned>(bytes));
    Value* both = b_.CreateAlignedLoad(llvm::FixedVectorType::get(b_.getFloatTy(), 2), place, llvm::Align(8));
    return b_.CreateExtractElement(both, static_cast<std::uint64_t>(e));
  }

  std::vector<std::vector<Left>> k_, v_;
  std::vector<std::vector<Sum>> dk_, dv_;
  std::vector<Value*> first_queries_;  // for each row tile and half: the key is seen by the queries from this one on
};

}  // namespace

std::unique_ptr<AttentionEmitter> attention_query_gradient(llvm::Function& function, const AttentionKernel& kernel,
                                                           const Target& target) {
  return std::make_unique<QueryGradient>(function, kernel, target);
}

std::unique_ptr<AttentionEmitter> attention_key_gradient(llvm::Function& function, const AttentionKernel& kernel,
                                                         const Target& target) {
  return std::make_unique<KeyGradient>(function, kernel, target);
}

}  // namespace weft::compiler
