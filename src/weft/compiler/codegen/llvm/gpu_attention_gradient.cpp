// The gradients of attention. As the sums of the scores' exponentials are known, tiles are independent of each other; 16 columns of a tile
// are computed at a time.
//   weights = exp(scores - log_sum)     d_values = weights^T d_result     d_weights = d_result values^T
//   d_scores = weights * (d_weights - sum(result * d_result))     d_queries = d_scores keys     d_keys = d_scores^T queries
#include <tuple>
#include <utility>

#include <llvm/IR/Intrinsics.h>

#include <weft/compiler/codegen/llvm/gpu_attention_emitter.h>

namespace weft::compiler {

namespace {

using llvm::Value;

class AttentionGradient : public AttentionEmitter {
 public:
  using AttentionEmitter::AttentionEmitter;

 protected:
  // Visits this thread's elements of all row tiles' sums: sums[row_tile][part][2 * half + e].
  void for_each_score(const Sums& sums, const std::function<void(int row_tile, int part, int half, int e)>& visit) {
    for (int part = 0; part < static_cast<int>(sums[0].size()); ++part)
      for (int e = 0; e < 2; ++e)
        for (int r = 0; r < tiles_.row_tiles; ++r)
          for (int half = 0; half < 2; ++half) visit(r, part, half, e);
  }

  // Reads the block's rows of two buffers and begins the loop. With warpgroups, whose kernels have more shared memory, the first tiles come
  // at the same time as the rows. `meanwhile` needs none of them.
  std::pair<Lefts, Lefts> begin(
      const Rows& first, const Rows& second, Loop& loop, const std::function<void()>& meanwhile = [] {}) {
    const int place = has_warpgroups() ? tiles_.stage_bytes : 0;
    copy_rows(first, first_row_, tiles_.rows, i32(place));
    copy_rows(second, first_row_, tiles_.rows, i32(place + tiles_.stage_bytes));
    if (has_warpgroups()) begin_loop(loop);
    meanwhile();
    wait_for_tiles();
    std::pair<Lefts, Lefts> lefts{left_rows(i32(place)), left_rows(i32(place + tiles_.stage_bytes))};
    if (!has_warpgroups()) {
      machine_->barrier(b_);
      begin_loop(loop);
    }
    return lefts;
  }

  // How many columns of a tile are computed at a time.
  int columns_at_once() const { return tiles_.columns_at_once; }

  // Products that are added to gradients may go on while the next scores are computed.
  void begin_to_add(Sums& gradients, const Lefts& lefts, Value* tile, int row) {
    add_rows(gradients, lefts, tile, row);
    begun_.emplace_back(&gradients, lefts);
  }
  // Waits for these products, while so many that began later go on.
  void end_products(int later = 0) {
    for (std::size_t i = 0; i < begun_.size(); ++i)
      wait_for(*begun_[i].first, begun_[i].second, later + static_cast<int>(begun_.size() - 1 - i));
    begun_.clear();
  }

  // Returns exp(scale * product - log_sum), where minus_log_sum is to base 2.
  Value* weight(Value* product, Value* minus_log_sum) {
    return matrices_->exp2(b_, fma(product, number(score_scale() * log2_e), minus_log_sum));
  }
  Value* to_base_2(Value* log_sum) { return b_.CreateFMul(log_sum, number(-log2_e)); }

 private:
  std::vector<std::pair<Sums*, Lefts>> begun_;
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
    Loop loop{k, v, key_bounds(), nullptr};
    std::tie(q_, dy_) = begin(q, dy, loop, [&] { load_results(y); });
    find_row_states();
    gradients_ = row_sums(kernel_.width);
    run_loop(loop, [&](const Turn& turn) {
      if_seen(turn, sees_tile(turn), [&] {
        for (int key = 0; key < tiles_.columns; key += columns_at_once()) add_keys(turn, key);
        end_products();
      });
    });
    store_rows(dq, gradients_, [&](int, int) { return number(score_scale()); }, i32(0));
  }

  // Loads this thread's elements of the results, and the log sums.
  void load_results(const Rows& y) {
    Value* log_sums = head_sums(5);
    for (int r = 0; r < tiles_.row_tiles; ++r)
      for (int half = 0; half < 2; ++half) {
        Value* at = row(r, half);
        Value* exists = b_.CreateICmpSLT(at, queries_);
        Value* safe = b_.CreateSelect(exists, at, i32(0));
        std::vector<Value*>& elements = results_.emplace_back();
        Value* base =
            b_.CreateGEP(b_.getInt8Ty(), address(y, safe), b_.CreateZExt(times(in_group_, 4), b_.getInt64Ty()));
        for (int column = 0; column < kernel_.width; column += 8) {
          Value* place = b_.CreateConstGEP1_32(b_.getInt8Ty(), base, static_cast<unsigned>(2 * column));
          elements.push_back(b_.CreateAlignedLoad(b_.getInt32Ty(), place, llvm::Align(4)));
        }
        Value* place = b_.CreateGEP(b_.getFloatTy(), log_sums, b_.CreateZExt(safe, b_.getInt64Ty()));
        rows_.push_back({to_base_2(b_.CreateLoad(b_.getFloatTy(), place)), nullptr, seen_by(at)});
      }
  }

  void find_row_states() {
    Value* all_sums = head_sums(7);
    for (int r = 0; r < tiles_.row_tiles; ++r)
      for (int half = 0; half < 2; ++half) {
        RowState& state = rows_[2 * r + half];
        state.sum = row_sum(sum_of_products(results_[2 * r + half], dy_[r], half));
        Value* at = row(r, half);
        if_then(b_.CreateAnd(b_.CreateICmpSLT(at, queries_), b_.CreateICmpEQ(in_group_, i32(0))), [&] {
          b_.CreateStore(state.sum, b_.CreateGEP(b_.getFloatTy(), all_sums, b_.CreateZExt(at, b_.getInt64Ty())));
        });
      }
  }

  // Returns the sum over this thread's elements of a row.
  Value* sum_of_products(const std::vector<Value*>& results, const std::vector<Left>& dy, int half) {
    Value* sum = number(0);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto mine = widened(results[i]), other = widened(dy[i / 2][2 * (i % 2) + half]);
      for (int e = 0; e < 2; ++e) sum = fma(mine[e], other[e], sum);
    }
    return sum;
  }

  void add_keys(const Turn& turn, int key) {
    const int count = columns_at_once();
    Value* values = plus(turn.stage, tiles_.tile_bytes);
    Sums weights = multiply(q_, turn.stage, key, count), d_scores;
    if (has_warpgroups()) d_scores = multiply(dy_, values, key, count);
    end_products(2);
    wait_for(weights, q_, 1);
    Value* seen_from = plus(times(turn.tile, tiles_.columns), times(in_group_, 2));
    for_each_score(weights, [&](int r, int part, int half, int e) {
      const RowState& state = rows_[2 * r + half];
      Variable place = weights[r][part][2 * half + e];
      Value* w = weight(get(place), state.minus_log_sum);
      if (turn.is_masked) {
        Value* is_seen = b_.CreateICmpSGT(minus(state.seen, seen_from), i32(key + 8 * part + e));
        w = b_.CreateSelect(is_seen, w, number(0));
      }
      set(place, w);
    });
    if (!has_warpgroups()) d_scores = multiply(dy_, values, key, count);
    wait_for(d_scores, dy_);
    for_each_score(d_scores, [&](int r, int part, int half, int e) {
      Variable place = d_scores[r][part][2 * half + e];
      Value* difference = b_.CreateFSub(get(place), rows_[2 * r + half].sum);
      set(place, b_.CreateFMul(get(weights[r][part][2 * half + e]), difference));
    });
    begin_to_add(gradients_, rounded(d_scores), turn.stage, key);
    if (!kernel_.overlaps) end_products();
  }

  Lefts q_, dy_;
  Sums gradients_;
  std::vector<RowState> rows_;
  std::vector<std::vector<Value*>> results_;  // [row tile, half][8 columns], two elements in each i32
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
    dk_ = row_sums(kernel_.width);
    dv_ = row_sums(kernel_.width);
    for (int r = 0; r < tiles_.row_tiles; ++r) {
      for (int half = 0; half < 2; ++half) first_queries_.push_back(minus(row(r, half), minus(keys_, queries_)));
    }
    const auto copy_more = [&](Value* first, Value* stage) {
      const int columns = tiles_.columns;
      Value* sums = plus(stage, 2 * tiles_.tile_bytes);
      if_then(b_.CreateICmpULT(thread_, i32(columns)), [&] { copy_sums(log_sums, first, queries_, sums, thread_); });
      Value* other = plus(thread_, -(tiles_.threads - columns));  // the last threads, if they are others
      if_then(b_.CreateICmpULT(other, i32(columns)),
              [&] { copy_sums(all_sums, first, queries_, plus(sums, 4 * columns), other); });
    };
    Loop loop{q, dy, query_bounds(), copy_more};
    std::tie(k_, v_) = begin(k, v, loop);
    run_loop(loop, [&](const Turn& turn) {
      if_seen(turn, is_seen_by_tile(turn), [&] {
        for (int query = 0; query < tiles_.columns; query += columns_at_once()) add_queries(turn, query);
        end_products();
      });
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

  // Returns whether a query of the tile sees a key of this warpgroup.
  Value* is_seen_by_tile(const Turn& turn) {
    Value* last = plus(times(turn.tile, tiles_.columns), tiles_.columns - 1);
    return b_.CreateICmpSGT(seen_by(last), warpgroup_row());
  }

  void add_queries(const Turn& turn, int query) {
    const int count = columns_at_once();
    Value* d_results = plus(turn.stage, tiles_.tile_bytes);
    Value* seen_from = plus(times(turn.tile, tiles_.columns), times(in_group_, 2));
    Sums weights = multiply(k_, turn.stage, query, count), d_scores;
    if (has_warpgroups()) d_scores = multiply(v_, d_results, query, count);
    end_products(2);
    wait_for(weights, k_, 1);
    for_each_score(weights, [&](int r, int part, int half, int e) {
      Variable place = weights[r][part][2 * half + e];
      Value* w = weight(get(place), to_base_2(query_sum(turn, 0, query + 8 * part, e)));
      if (turn.is_masked) {
        Value* unseen = minus(first_queries_[2 * r + half], seen_from);
        w = b_.CreateSelect(b_.CreateICmpSLE(unseen, i32(query + 8 * part + e)), w, number(0));
      }
      set(place, w);
    });
    begin_to_add(dv_, rounded(weights), d_results, query);
    if (!has_warpgroups()) d_scores = multiply(v_, d_results, query, count);
    wait_for(d_scores, v_, 1);
    for_each_score(d_scores, [&](int r, int part, int half, int e) {
      Variable place = d_scores[r][part][2 * half + e];
      Value* difference = b_.CreateFSub(get(place), query_sum(turn, 1, query + 8 * part, e));
      set(place, b_.CreateFMul(get(weights[r][part][2 * half + e]), difference));
    });
    begin_to_add(dk_, rounded(d_scores), turn.stage, query);
    if (!kernel_.overlaps) end_products();
  }

  // Returns a sum of one of this thread's two queries: its log sum, or that of result * d_result.
  Value* query_sum(const Turn& turn, int which, int query, int e) {
    Value* mine = shared(plus(turn.stage, times(in_group_, 8)));
    const int bytes = 2 * tiles_.tile_bytes + 4 * (which * tiles_.columns + query);
    Value* place = b_.CreateConstGEP1_32(b_.getInt8Ty(), mine, static_cast<unsigned>(bytes));
    Value* both = b_.CreateAlignedLoad(llvm::FixedVectorType::get(b_.getFloatTy(), 2), place, llvm::Align(8));
    return b_.CreateExtractElement(both, static_cast<std::uint64_t>(e));
  }

  Lefts k_, v_;
  Sums dk_, dv_;
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
