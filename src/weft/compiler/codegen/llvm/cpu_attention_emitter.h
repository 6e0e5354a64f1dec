// The parts of the kernels of attention for a CPU: rows in memory, panels of queries, and products of the two.
//
// Numbers of a query stay in one lane from the first product to the last, so neither its highest score nor its sum needs an exchange
// between lanes, and keys and values are read where they lie: each of their elements is multiplied with whole vectors of queries.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <weft/compiler/codegen/llvm/control_flow.h>
#include <weft/compiler/codegen/llvm/math_emitter.h>
#include <weft/compiler/codegen/llvm/scalar_emitter.h>
#include <weft/compiler/loop/cpu_attention.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

class CpuAttentionEmitter {
 protected:
  using Value = llvm::Value;

  // Rows of `width` elements in memory.
  struct Rows {
    DType dtype;
    Value* base;
    Value* stride;  // bytes from one row to the next
  };
  struct Head {
    Value *batch, *head;
    Value* number;  // among the heads of all batches
  };

  CpuAttentionEmitter(llvm::Module& module, const CpuAttention& kernel, const std::string& name, const Target& target,
                      int buffers, int buffers_with_rows);

  Value* i64(std::int64_t value) { return b_.getInt64(static_cast<std::uint64_t>(value)); }
  Value* times(Value* x, std::int64_t y) { return b_.CreateNSWMul(x, i64(y)); }
  Value* plus(Value* x, Value* y) { return b_.CreateNSWAdd(x, y); }
  Value* plus(Value* x, std::int64_t y) { return b_.CreateNSWAdd(x, i64(y)); }
  Value* minus(Value* x, Value* y) { return b_.CreateNSWSub(x, y); }
  Value* smaller(Value* x, Value* y) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); }
  Value* greater(Value* x, Value* y) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y); }
  Value* ceiling(Value* x, std::int64_t divisor) { return b_.CreateSDiv(plus(x, divisor - 1), i64(divisor)); }

  // A variable; LLVM keeps it in a register.
  llvm::AllocaInst* local(Value* start);
  Value* get(llvm::AllocaInst* variable) { return b_.CreateLoad(variable->getAllocatedType(), variable); }
  void set(Value* variable, Value* value) { b_.CreateStore(value, variable); }

  Head head_of(Value* number);
  Rows rows_of(int buffer, int strides, const Head& head);
  Rows rows_of(AttentionPiece piece);
  Value* at(const Rows& rows, Value* row) {
    return b_.CreateGEP(b_.getInt8Ty(), rows.base, b_.CreateNSWMul(row, rows.stride));
  }
  Rows behind(const Rows& rows, Value* first) { return {rows.dtype, at(rows, first), rows.stride}; }
  // Returns the numbers of a head, `count` of the computed dtype, in a buffer that has no rows.
  Value* numbers_of(int buffer, const Head& head, Value* count);
  Value* piece(AttentionPiece piece) const { return pieces_[static_cast<std::size_t>(piece)]; }

  // Numbers of the computed dtype.
  Value* place(Value* base, Value* index) { return b_.CreateGEP(number_, base, index); }
  Value* load(Value* place) { return load(vector_, place); }
  Value* load(llvm::Type* type, Value* place) { return b_.CreateAlignedLoad(type, place, align_); }
  void store(Value* value, Value* place) { b_.CreateAlignedStore(value, place, align_); }
  Value* splat(Value* number) { return b_.CreateVectorSplat(static_cast<unsigned>(tiles_.lanes), number); }
  Value* splat(double number) { return llvm::ConstantFP::get(vector_, number); }
  Value* number(double value) { return llvm::ConstantFP::get(number_, value); }
  Value* sum_of_lanes(Value* vector);
  void clear(Value* numbers, Value* count);  // a multiple of side()
  Value* exp(Value* x);                      // MathEmitter::exp_without_extremes
  Value* log(Value* x);
  // Returns x * y + z, with one rounding where the target can.
  Value* multiply_add(Value* x, Value* y, Value* z) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fmuladd, {x->getType()}, {x, y, z});
  }

  template <class Body>
  void for_vectors(Body&& body) {  // of a panel
    for (int vector = 0; vector < 2; ++vector) body(vector);
  }
  Value* row_of_panel(Value* panel, Value* row) { return place(panel, times(row, tiles_.panel())); }
  Value* at_vector(Value* base, int vector) { return place(base, i64(vector * tiles_.lanes)); }
  // Emits body(i) for i from begin to end, `times` of them in each turn of the loop.
  void for_each_unrolled(Value* begin, Value* end, int times, const std::function<void(Value*)>& body);
  // Emits body(first row, number of rows) for tiles_.rows rows at a time, then for one at a time.
  void for_tiles(Value* count, const std::function<void(Value*, int)>& body);

  // The sums of a product: `rows` rows of vectors.
  struct Sums {
    int rows, vectors;
    std::vector<llvm::AllocaInst*> variables;
    llvm::AllocaInst* at(int row, int vector) const {
      return variables[static_cast<std::size_t>(row * vectors + vector)];
    }
    llvm::Type* type() const { return variables[0]->getAllocatedType(); }
  };
  Sums sums(int rows, int vectors, const std::function<Value*(int row, int vector)>& start);
  // Adds number(row, i) * vector(v, i) to the sums for i from begin to end. Both return places in memory.
  void add_products(const Sums& sums, Value* begin, Value* end, const std::function<Value*(int row, Value* i)>& number,
                    const std::function<Value*(int vector, Value* i)>& vector);

  // Emits a function of addresses and numbers, which the kernel calls several times: its products are most of the code.
  llvm::Function* outlined(int addresses, int numbers, const std::function<void(llvm::Function&)>& body);
  // Computes the products of keys and a panel of queries: a row of the result for each key.
  void multiply_keys(const Rows& keys, Value* count, Value* panel, Value* result);
  // Adds the sum over `count` rows, each multiplied with its row of weights, to a panel.
  void add_weighted_rows(Value* panel, const Rows& rows, Value* count, Value* weights);

  // Returns the score in the lanes whose queries see the key.
  Value* if_seen(Value* score, Value* key, Value* first_query, int vector, double otherwise);
  // Returns how many of the keys in a block of `count` keys from `first` on any query up to the last one sees.
  Value* keys_seen(Value* first, Value* count, Value* last_query);

  int side() const;  // as many lanes as divide the width
  // A vector of side() numbers from a column of a row on.
  Value* read(Value* row, DType dtype, Value* column);
  void write(Value* numbers, Value* row, DType dtype, Value* column);
  // Copies rows into a panel, or back. Rows from `limit` on are not written; where they are read, the last row is read instead.
  void pack(const Rows& rows, Value* first, Value* limit, Value* panel, double factor);
  void unpack(Value* panel, const Rows& rows, Value* first, Value* limit);
  void copy_rows(const Rows& from, Value* count, const Rows& to);
  // Returns the rows as numbers of the computed dtype: as they are, or widened into the piece.
  Rows widened(const Rows& rows, Value* count, AttentionPiece piece);

  const CpuAttention& kernel_;
  const Target& target_;
  const CpuAttentionTiles tiles_;
  llvm::IRBuilder<> b_;
  llvm::Function* function_;
  llvm::BasicBlock* entry_;
  llvm::Type *number_, *vector_;
  llvm::FixedVectorType* row_vector_;  // side() elements of a row
  llvm::Align align_;
  Value *heads_, *queries_, *keys_, *blocks_, *unseen_;

 private:
  // Some columns of as many rows, which are transposed in registers.
  struct Square {
    std::vector<Value*> numbers, rows;  // the numbers and places of the rows
    std::vector<Value*> in_panel;       // where each column begins in a panel
    Value* column;                      // the first one
  };
  void for_squares(const Rows& rows, Value* first, Value* limit, const std::function<void(const Square&)>& body);
  std::vector<Value*> transposed(std::vector<Value*> square);
  Value* parameter(int i);
  Value* buffer(int i);

  std::vector<Value*> buffers_, pieces_, strides_;
  llvm::Function *multiply_keys_ = nullptr, *add_weighted_rows_ = nullptr;
};

// The two parts of emit_cpu_attention.
void emit_cpu_attention_forward(llvm::Module& module, const CpuAttention& kernel, const std::string& name,
                                const Target& target);
void emit_cpu_attention_gradient(llvm::Module& module, const CpuAttention& kernel, const std::string& name,
                                 const Target& target);

}  // namespace weft::compiler
