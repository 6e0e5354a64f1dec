#include <cmath>
#include <limits>

#include <weft/compiler/codegen/llvm/cpu_attention_emitter.h>

namespace weft::compiler {

using llvm::Value;
using Piece = AttentionPiece;

namespace {

// Goes over blocks of keys, and for each over all queries that see any of them, whose weights it computes again from the log_sums.
class CpuAttentionGradient final : CpuAttentionEmitter {
  enum Buffer { q, k, v, d_result, result, log_sums, dq, dk, dv, buffers };
  // The order of the strides among the parameters.
  enum Strides { of_q, of_k, of_v, of_d_result, of_result, of_dq, of_dk, of_dv, buffers_with_rows };

 public:
  CpuAttentionGradient(llvm::Module& module, const CpuAttention& kernel, const std::string& name, const Target& target)
      : CpuAttentionEmitter(module, kernel, name, target, buffers, buffers_with_rows),
        scale_(1 / std::sqrt(static_cast<double>(kernel.width))) {}

  void emit() {
    emit_for_each(b_, function_->getArg(2), function_->getArg(3), i64(1), [&](Value* task) {
      const Head head = head_of(task);
      const Rows query_rows = rows_of(q, of_q, head), d_result_rows = rows_of(d_result, of_d_result, head);
      const Rows result_rows = rows_of(result, of_result, head);
      panels_ = ceiling(queries_, tiles_.panel());
      for_panels(i64(0), panels_, [&](const Panel& panel) {
        pack(query_rows, panel.first_query, queries_, panel.queries, scale_);
        pack(d_result_rows, panel.first_query, queries_, panel.d_results, 1);
        begin(panel, result_rows, d_result_rows, numbers_of(log_sums, head, queries_));
      });
      const Rows wide_queries = widened(query_rows, queries_, Piece::query_rows);
      const Rows wide_d_results = widened(d_result_rows, queries_, Piece::result_gradient_rows);
      emit_for_each(b_, i64(0), keys_, i64(tiles_.keys), [&](Value* first_key) {
        Keys keys;
        keys.first = first_key;
        keys.count = smaller(i64(tiles_.keys), minus(keys_, first_key));
        keys.rows = widened(behind(rows_of(k, of_k, head), first_key), keys.count, Piece::key_rows);
        keys.value_rows = widened(behind(rows_of(v, of_v, head), first_key), keys.count, Piece::value_rows);
        go_over_queries(keys, wide_queries, wide_d_results);
        copy_rows(rows_of(Piece::key_gradients), keys.count, behind(rows_of(dk, of_dk, head), first_key));
        copy_rows(rows_of(Piece::value_gradients), keys.count, behind(rows_of(dv, of_dv, head), first_key));
      });
      for_panels(i64(0), panels_, [&](const Panel& panel) {
        unpack(panel.gradients, rows_of(dq, of_dq, head), panel.first_query, queries_);
      });
    });
    end_function(b_);
  }

 private:
  // Where a panel's numbers lie in the scratch memory.
  struct Panel {
    Value* first_query;
    Value *queries, *gradients, *d_results, *log_sums, *sums;
  };
  // A block of keys.
  struct Keys {
    Value *first, *count;
    Rows rows, value_rows;
  };

  template <class Body>
  void for_panels(Value* first, Value* end, Body&& body) {
    emit_for_each(b_, first, end, i64(1), [&](Value* number) {
      Value *const lanes = times(number, tiles_.panel()), *const all = times(lanes, kernel_.width);
      body(Panel{lanes, place(piece(Piece::queries), all), place(piece(Piece::results), all),
                 place(piece(Piece::result_gradients), all), place(piece(Piece::highest), lanes),
                 place(piece(Piece::sums), lanes)});
    });
  }

  // The rows of all keys, in weights or gradients of scores, for the panel that is `number` in its block.
  Value* rows_for(Value* its_piece, Value* number) {
    return place(its_piece, times(number, tiles_.keys * tiles_.panel()));
  }

  // Computes for each query the sum of its result, multiplied with the cotangent, and clears its gradient.
  void begin(const Panel& panel, const Rows& result_rows, const Rows& d_result_rows, Value* its_log_sums) {
    emit_for_each(b_, i64(0), i64(tiles_.panel()), i64(1), [&](Value* i) {
      Value* const query = smaller(plus(panel.first_query, i), minus(queries_, i64(1)));
      Value* const log_sum = b_.CreateLoad(number_, place(its_log_sums, query));
      // A query that sees no key has no weights, whatever is subtracted from its scores.
      Value* const none = b_.CreateFCmpOEQ(log_sum, number(-std::numeric_limits<double>::infinity()));
      b_.CreateStore(b_.CreateSelect(none, number(0), log_sum), place(panel.log_sums, i));
      Value *const its_result = at(result_rows, query), *const its_d_result = at(d_result_rows, query);
      Value* sum = llvm::ConstantFP::get(row_vector_, 0);
      for (int column = 0; column < kernel_.width; column += side())
        sum = multiply_add(read(its_result, kernel_.dtype, i64(column)), read(its_d_result, kernel_.dtype, i64(column)),
                           sum);
      b_.CreateStore(sum_of_lanes(sum), place(panel.sums, i));
    });
    clear(panel.gradients, i64(kernel_.width * tiles_.panel()));
  }

  void go_over_queries(const Keys& keys, const Rows& query_rows, const Rows& d_result_rows) {
    for (const Piece sums : {Piece::key_gradients, Piece::value_gradients})
      clear(piece(sums), times(keys.count, kernel_.width));
    emit_for_each(b_, first_panel_that_sees(minus(keys.first, unseen_)), panels_, i64(tiles_.panels),
                  [&](Value* first) {
                    Value* const end = smaller(plus(first, tiles_.panels), panels_);
                    for_panels(first, end, [&](const Panel& panel) {
                      compute_scores(panel, minus(b_.CreateSDiv(panel.first_query, i64(tiles_.panel())), first), keys);
                    });
                    add_to_rows(Piece::value_gradients, Piece::weights, keys, d_result_rows, first, end);
                    add_to_rows(Piece::key_gradients, Piece::score_gradients, keys, query_rows, first, end);
                  });
  }

  // Computes the weights of a panel and a block of keys, then the gradients of its scores, and adds to those of its queries.
  void compute_scores(const Panel& panel, Value* number, const Keys& keys) {
    // The products of add_to_rows read whole tiles of keys.
    Value* const seen = keys_seen(keys.first, keys.count, plus(panel.first_query, tiles_.panel() - 1));
    Value* const count = smaller(keys.count, times(ceiling(seen, tiles_.rows), tiles_.rows));
    Value* const weights = rows_for(piece(Piece::weights), number);
    Value* const gradients = rows_for(piece(Piece::score_gradients), number);
    multiply_keys(keys.rows, count, panel.queries, weights);
    multiply_keys(keys.value_rows, count, panel.d_results, gradients);
    std::vector<Value*> log_sums_of, sums_of;
    for_vectors([&](int vector) {
      log_sums_of.push_back(load(at_vector(panel.log_sums, vector)));
      sums_of.push_back(load(at_vector(panel.sums, vector)));
    });
    for_each_unrolled(i64(0), count, 2, [&](Value* key) {
      for_vectors([&](int vector) {
        Value *const weight_at = at_vector(row_of_panel(weights, key), vector), *const gradient_at = at_vector(
                                                                                    row_of_panel(gradients, key),
                                                                                    vector);
        Value* weight = exp(b_.CreateFSub(load(weight_at), log_sums_of[vector]));
        weight = if_seen(weight, plus(keys.first, key), panel.first_query, vector, 0);
        store(weight, weight_at);
        Value* const difference = b_.CreateFSub(load(gradient_at), sums_of[vector]);
        store(b_.CreateFMul(b_.CreateFMul(weight, difference), splat(scale_)), gradient_at);
      });
    });
    add_weighted_rows(panel.gradients, keys.rows, count, gradients);
  }

  // Adds to each key's row the sum over the queries of some panels: their rows, multiplied with the numbers in the piece `factors`.
  void add_to_rows(Piece to, Piece factors, const Keys& keys, const Rows& rows, Value* first, Value* end) {
    if (!add_to_rows_) add_to_rows_ = outlined(3, 6, [&](llvm::Function& function) { emit_add_to_rows(function); });
    b_.CreateCall(add_to_rows_, {piece(to), piece(factors), rows.base, rows.stride, first, end, keys.count,
                                 minus(keys.first, unseen_), queries_});
  }

  void emit_add_to_rows(llvm::Function& function) {
    Value *const sums_of_keys = function.getArg(0), *const factors = function.getArg(1);
    const Rows rows{kernel_.computed(), function.getArg(2), function.getArg(3)};
    Value *const first = function.getArg(4), *const end = function.getArg(5), *const keys = function.getArg(6);
    Value *const first_key = function.getArg(7), *const queries = function.getArg(8);
    for_tiles(keys, [&](Value* key, int tile_rows) {
      Value* const begin = greater(first, first_panel_that_sees(plus(first_key, key)));
      for_columns([&](Value* column, int vectors) {
        const auto sum_at = [&](int r, int vector) {
          Value* const row = times(plus(key, r), kernel_.width);
          return place(sums_of_keys, plus(row, plus(column, vector * side())));
        };
        const Sums tile =
            sums(tile_rows, vectors, [&](int r, int vector) { return load(row_vector_, sum_at(r, vector)); });
        emit_for_each(b_, begin, end, i64(1), [&](Value* panel) {
          Value* const query = times(panel, tiles_.panel());
          std::vector<Value*> factors_of;
          for (int r = 0; r < tile_rows; ++r)
            factors_of.push_back(row_of_panel(rows_for(factors, minus(panel, first)), plus(key, r)));
          add_products(
              tile, i64(0), smaller(i64(tiles_.panel()), minus(queries, query)),
              [&](int r, Value* i) { return place(factors_of[static_cast<std::size_t>(r)], i); },
              [&](int vector, Value* i) { return place(at(rows, plus(query, i)), plus(column, vector * side())); });
        });
        for (int r = 0; r < tile_rows; ++r)
          for (int vector = 0; vector < vectors; ++vector) store(get(tile.at(r, vector)), sum_at(r, vector));
      });
    });
  }

  // Emits body(first column, number of vectors) for two vectors of columns at a time, then for the last one if their number is odd.
  template <class Body>
  void for_columns(Body&& body) {
    const int rest = kernel_.width % (2 * side());
    emit_for_each(b_, i64(0), i64(kernel_.width - rest), i64(2 * side()), [&](Value* column) { body(column, 2); });
    if (rest != 0) body(i64(kernel_.width - rest), 1);
  }

  // `key` is the number of the first query that sees the key.
  Value* first_panel_that_sees(Value* key) {
    if (!kernel_.is_causal) return i64(0);
    return b_.CreateSDiv(greater(i64(0), key), i64(tiles_.panel()));
  }

  const double scale_;
  Value* panels_ = nullptr;
  llvm::Function* add_to_rows_ = nullptr;
};

}  // namespace

void emit_cpu_attention_gradient(llvm::Module& module, const CpuAttention& kernel, const std::string& name,
                                 const Target& target) {
  CpuAttentionGradient(module, kernel, name, target).emit();
}

}  // namespace weft::compiler
