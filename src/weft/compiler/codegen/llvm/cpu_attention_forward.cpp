#include <cmath>
#include <limits>

#include <weft/compiler/codegen/llvm/cpu_attention_emitter.h>

namespace weft::compiler {

using llvm::Value;
using Piece = AttentionPiece;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class CpuAttentionForward final : CpuAttentionEmitter {
  enum Buffer { q, k, v, result, log_sums, buffers };
  static constexpr int buffers_with_rows = 4;

 public:
  CpuAttentionForward(llvm::Module& module, const CpuAttention& kernel, const std::string& name, const Target& target)
      : CpuAttentionEmitter(module, kernel, name, target, buffers, buffers_with_rows) {}

  void emit() {
    emit_for_each(b_, function_->getArg(2), function_->getArg(3), i64(1), [&](Value* task) {
      const Head head = head_of(b_.CreateSDiv(task, blocks_));
      attend(head, times(b_.CreateSRem(task, blocks_), tiles_.queries()));
    });
    end_function(b_);
  }

 private:
  // Where a panel's numbers lie in the scratch memory.
  struct Panel {
    Value* number;       // in the block
    Value* first_query;  // of the head
    Value *queries, *results, *highest, *sums;
  };

  Panel panel_at(Value* number, Value* first_of_block) {
    Value *const lanes = times(number, tiles_.panel()), *const all = times(lanes, kernel_.width);
    return {number,
            plus(first_of_block, lanes),
            place(piece(Piece::queries), all),
            place(piece(Piece::results), all),
            place(piece(Piece::highest), lanes),
            place(piece(Piece::sums), lanes)};
  }

  void attend(const Head& head, Value* first) {
    Value* const count = smaller(i64(tiles_.queries()), minus(queries_, first));
    const auto for_panels = [&](auto&& body) {
      emit_for_each(b_, i64(0), ceiling(count, tiles_.panel()), i64(1),
                    [&](Value* number) { body(panel_at(number, first)); });
    };
    for_panels([&](const Panel& panel) { begin(panel, rows_of(q, q, head)); });
    Value* const all_keys = keys_seen(i64(0), keys_, minus(plus(first, count), i64(1)));
    emit_for_each(b_, i64(0), all_keys, i64(tiles_.keys), [&](Value* first_key) {
      Value* const keys = smaller(i64(tiles_.keys), minus(all_keys, first_key));
      const Rows key_rows = widened(behind(rows_of(k, k, head), first_key), keys, Piece::key_rows);
      const Rows value_rows = widened(behind(rows_of(v, v, head), first_key), keys, Piece::value_rows);
      for_panels([&](const Panel& panel) { see(panel, first_key, keys, key_rows, value_rows); });
    });
    for_panels([&](const Panel& panel) { end(panel, head); });
  }

  void begin(const Panel& panel, const Rows& rows) {
    pack(rows, panel.first_query, queries_, panel.queries, 1 / std::sqrt(static_cast<double>(kernel_.width)));
    clear(panel.results, i64(kernel_.width * tiles_.panel()));
    for_vectors([&](int vector) {
      store(splat(-infinity), at_vector(panel.highest, vector));
      store(splat(0.0), at_vector(panel.sums, vector));
    });
  }

  // Adds what the queries of the panel see of a block of keys.
  void see(const Panel& panel, Value* first_key, Value* keys, const Rows& key_rows, const Rows& value_rows) {
    keys = keys_seen(first_key, keys, plus(panel.first_query, tiles_.panel() - 1));
    Value* const weights = piece(Piece::weights);
    multiply_keys(key_rows, keys, panel.queries, weights);
    std::vector<llvm::AllocaInst*> highest, sums;
    for_vectors([&](int vector) { highest.push_back(local(load(at_vector(panel.highest, vector)))); });
    for_each_unrolled(i64(0), keys, 2, [&](Value* key) {
      for_vectors([&](int vector) {
        Value* const at = at_vector(row_of_panel(weights, key), vector);
        Value* const score = if_seen(load(at), plus(first_key, key), panel.first_query, vector, -infinity);
        if (kernel_.is_causal) store(score, at);
        Value* const before = get(highest[vector]);
        set(highest[vector], b_.CreateSelect(b_.CreateFCmpOGT(score, before), score, before));
      });
    });
    std::vector<Value*> offsets, factors;
    for_vectors([&](int vector) {
      Value *const before = load(at_vector(panel.highest, vector)), *const after = get(highest[vector]);
      offsets.push_back(without_infinity(after));
      factors.push_back(exp(b_.CreateFSub(before, offsets[vector])));
      sums.push_back(local(b_.CreateFMul(load(at_vector(panel.sums, vector)), factors[vector])));
      store(after, at_vector(panel.highest, vector));
    });
    for_each_unrolled(i64(0), keys, 2, [&](Value* key) {
      for_vectors([&](int vector) {
        Value* const at = at_vector(row_of_panel(weights, key), vector);
        Value* const weight = exp(b_.CreateFSub(load(at), offsets[vector]));
        store(weight, at);
        set(sums[vector], b_.CreateFAdd(get(sums[vector]), weight));
      });
    });
    for_vectors([&](int vector) { store(get(sums[vector]), at_vector(panel.sums, vector)); });
    scale(panel.results, factors);
    add_weighted_rows(panel.results, value_rows, keys, weights);
  }

  void scale(Value* panel, const std::vector<Value*>& factors) {
    emit_for_each(b_, i64(0), i64(kernel_.width), i64(1), [&](Value* row) {
      for_vectors([&](int vector) {
        Value* const at = at_vector(row_of_panel(panel, row), vector);
        store(b_.CreateFMul(load(at), factors[vector]), at);
      });
    });
  }

  // A query that has seen no key has the result 0.
  void end(const Panel& panel, const Head& head) {
    std::vector<Value*> factors;
    for_vectors([&](int vector) {
      Value* const sum = load(at_vector(panel.sums, vector));
      Value* const none = b_.CreateFCmpOEQ(sum, splat(0.0));
      factors.push_back(b_.CreateSelect(none, splat(0.0), b_.CreateFDiv(splat(1.0), sum)));
      Value* const offset = without_infinity(load(at_vector(panel.highest, vector)));
      store(b_.CreateFAdd(offset, log(sum)), at_vector(panel.highest, vector));
    });
    scale(panel.results, factors);
    unpack(panel.results, rows_of(result, result, head), panel.first_query, queries_);
    Value* const to = numbers_of(log_sums, head, queries_);
    emit_for_each(b_, i64(0), smaller(i64(tiles_.panel()), minus(queries_, panel.first_query)), i64(1), [&](Value* i) {
      b_.CreateStore(b_.CreateLoad(number_, place(panel.highest, i)), place(to, plus(panel.first_query, i)));
    });
  }

  // Returns what exp subtracts from scores: if all of them are -infinity, their highest would give NaN.
  Value* without_infinity(Value* highest) {
    return b_.CreateSelect(b_.CreateFCmpOEQ(highest, splat(-infinity)), splat(0.0), highest);
  }
};

}  // namespace

void emit_cpu_attention_forward(llvm::Module& module, const CpuAttention& kernel, const std::string& name,
                                const Target& target) {
  CpuAttentionForward(module, kernel, name, target).emit();
}

}  // namespace weft::compiler
