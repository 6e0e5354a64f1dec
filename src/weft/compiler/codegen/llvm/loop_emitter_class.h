// The emitter of one loop, for the files that implement it: loop_emitter.cpp (the function, positions, bounds), loop_values.cpp
// (expressions), loop_memory.cpp (buffers and scratch), loop_reductions.cpp (reductions), loop_walks.cpp (the loops around them),
// loop_tiles.cpp (transposing loops) and loop_records.cpp (loops over records).
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <weft/compiler/codegen/llvm/control_flow.h>
#include <weft/compiler/codegen/llvm/scalar_emitter.h>
#include <weft/compiler/loop/loop.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

class LoopEmitter {
 public:
  using Value = llvm::Value;

  // Emits into a function without blocks. Vectors have `width` lanes; of width 1, they are scalars.
  LoopEmitter(llvm::Function& function, const Loop& loop, const Target& target, int width);
  virtual ~LoopEmitter() = default;
  LoopEmitter(const LoopEmitter&) = delete;
  LoopEmitter& operator=(const LoopEmitter&) = delete;
  void emit();  // the function of a CPU: a Kernel

 protected:
  // The point of the loop nest for which code is emitted: one element or a whole vector of lanes, of which only those in `mask` are active
  // if there is a mask.
  struct Place {
    bool vector = false;
    Value* mask = nullptr;                  // <lanes x i1>
    std::vector<Value*>* values = nullptr;  // expressions already emitted here
    int stage = 0;
    int copy = 0;                  // number of the unrolled copy
    Value* linear_lane = nullptr;  // position among the lanes of a row, for scratch memory
  };
  struct Cached {
    int number = -1;
    bool written = false, ready = false;
  };

  Value* i64(std::int64_t value) { return b_.getInt64(value); }
  Value* number(const Number& n) { return n.parameter < 0 ? i64(n.known) : parameters_[n.parameter]; }
  std::size_t lane_axis() const { return loop_.sizes.size() - 1; }

  void for_each(Value* begin, Value* end, Value* step, const std::function<void(Value*)>& body) {
    emit_for_each(b_, begin, end, step, body);
  }
  void if_then(Value* condition, const std::function<void()>& body) { emit_if(b_, condition, body); }
  Value* local(llvm::Type* type);

  // Returns the position of lane 0: without the vector's part.
  Value* scalar_position(const Position& p);
  const Number& lane_stride(const Position& p) const { return p.coefficients[lane_axis()]; }
  Value* splat(Value* value) { return width_ == 1 ? value : b_.CreateVectorSplat(width_, value); }
  llvm::Align vector_alignment(DType dtype) const {
    return llvm::Align(is_aligned_ ? std::min(width_ * byte_size(dtype), 16) : byte_size(dtype));
  }
  ScalarEmitter& emitter(const Place& place) { return place.vector ? many_ : one_; }
  Value* position_value(const Position& p, const Place& place);

  // Returns the mask of lanes in [low, high), which may lie far outside of the vector.
  Value* lanes_between(Value* low, Value* high);
  Value* within(const std::vector<PositionBound>& bounds, const Place& place);

  // ---- expressions (loop_values.cpp)

  // Returns the value of an expression at a place, as a vector if the place is one.
  Value* value(ExprId id, const Place& place);

  // Where rounding need not be exact, divides a whole row by one number with one division and many multiplications.
  Value* by_reciprocal(const Expr& e, const Place& place);
  Value* row_value(ExprId id);
  Value* applied(ExprId id, const Expr& e, const Place& place);  // of Expr::Kind::apply
  Value* compute(ExprId id, const Expr& e, const Place& place);

  // ---- buffers and scratch (loop_memory.cpp)

  // Bounds that hold for all lanes or for none become a branch: a masked load is slow where the mask is false and the address invalid.
  virtual Value* load(ExprId id, const Expr& e, const Place& place);
  Value* load_by_lane(const Expr& e, const std::vector<PositionBound>& bounds, const Place& place);
  Value* load_within(const Expr& e, const std::vector<PositionBound>& bounds, const Place& place);
  // Returns the term of a position: a vector if it differs from lane to lane.
  Value* gathered_term(const Gathered& g, const Place& place);
  void store(const Store& st, Value* computed, const Place& place);
  Value* scratch_address(ExprId id, const Place& place);
  void store_cached(ExprId id, Value* computed, const Place& place);
  Value* load_cached(ExprId id, const Place& place);

  // ---- reductions (loop_reductions.cpp)

  Value* combine(const Expr& e, Value* a, Value* c, ScalarEmitter& s);
  Value* neutral(const Expr& e, ScalarEmitter& s);
  bool reduces_in(const Expr& e, int stage) const { return e.kind == Expr::Kind::reduce && e.stage == stage + 1; }
  void start_reductions(int stage, int copies);
  void accumulate(int stage, const Place& place);

  // Column kernels on the CPU: a sum of many terms would lose accuracy in a single accumulator, so it is added to a total after every run of
  // terms. The accumulators have the terms since then.
  static constexpr std::int64_t terms_of_a_run = 256;
  bool has_total(const Expr& e) const;
  bool has_totals() const;
  void start_totals();
  void add_to_totals();

  // Row kernels: combines the lanes of the accumulators, then applies the initial value.
  void finish_reductions(int stage);
  Value* with_init(const Expr& e, Value* total, Value* init, ScalarEmitter& s);

  // Column kernels: returns the accumulator of these lanes, which is the reduction's value.
  Value* finished_reduction(ExprId id, const Expr& e, const Place& place);

  // ---- rows, lanes, columns (loop_walks.cpp)

  // Emits the values of the stage that do not depend on lanes.
  void emit_row_values(int stage);
  Value* compute_row(ExprId id, const Expr& e, const Place& place);
  bool per_lane(const Store& s) const;
  int stage_of(const Store& s) const { return loop_.exprs[s.value].stage; }
  void emit_row_stores(int stage);
  void decode_rows(Value* row);

  // Divides only at the first row; from there the axes count like an odometer.
  void start_rows(Value* first);
  void load_rows();
  void next_row();
  void forget_row();
  void emit_row();
  bool stage_has_lanes(int stage) const;
  int copies(int stage) const;
  void emit_outer_lanes(int axis, int last, int stage, Value* linear = nullptr);

  // Emits lanes [begin, end) of the innermost axis: whole vectors, several at once if there are several accumulators, and the remaining
  // lanes.
  virtual void emit_lanes(Value* begin, Value* end, int stage);
  void emit_known_lanes(int stage);
  Value* emit_vectors(Value* begin, Value* end, int stage, int n);
  void emit_vector(Value* at, Value* mask, int stage, int copy);
  void emit_stores(const Place& place);
  void emit_columns(Value* task);
  // Emits block number `block` of the lanes, for these positions on the last row axis.
  void emit_block(Value* block, const std::vector<Value*>& rows);
  // Emits `count` vectors from lane `first` on, restricted to the first `lanes` lanes if that is given.
  void emit_vectors_of_block(Value* first, Value* lanes, std::int64_t count, const std::vector<Value*>& rows,
                             const std::vector<std::vector<Value*>>& row_values);
  // Copies what the rows of this part of the tasks read of these lanes, unless the task before had the same part.
  void pack_loads(Value* part, Value* first_lane);
  Value* packed_address(ExprId id, Value* point, Value* lane);
  void emit_serial(int axis, const std::function<void()>& body);
  void emit_runs(Value* size, const std::function<void(Value*)>& visit);

  // ---- tiles (loop_tiles.cpp)

  void emit_tile_task(Value* task);
  // Emits as many rows as a vector has lanes, for one vector of lanes. At an edge, some of both may not exist.
  void emit_tile(Value* first_row, Value* first_lane, bool is_edge);
  void read_tile(ExprId id, Value* first_row, Value* first_lane, bool is_edge);
  // Returns a vector of lanes for each of as many points of the axis. At an edge, some lanes or points may not exist.
  std::vector<Value*> read_transposed(const Expr& e, int axis, Value* first_point, Value* first_lane, bool is_edge);
  bool is_transposed(const Expr& e) const { return loop_.walk == Walk::tiles && runs_along(loop_, e, loop_.rows - 1); }
  Value* load_of_tile(ExprId id, const Place& place);

  // ---- records (loop_records.cpp)

  // Fields of the records of a vector's lanes, which have been read.
  struct FieldsRead {
    int buffer = 0, size = 0, first = 0;  // size of a record; first field
    Position position;
    std::vector<Value*> fields;
  };

  void emit_records(Value* task);
  // Returns the address of a field in the record of lane number `row`.
  Value* address_of_record(int buffer, DType dtype, const Position& position, int row, int field);
  Value* load_field(const Expr& e);
  // Returns fields from `first` on: all of a short record, otherwise as many as a vector has lanes.
  std::vector<Value*> read_fields(const Expr& e, int first);
  // Returns whether an expression calls a function of its own: for single lanes, of which there are few, the time to compile code for each
  // field would not pay.
  bool is_called(const Expr& e, const Place& place) const;
  Value* call(const Expr& e, std::span<const ir::Scalar> operands);
  // Stores records, given by their fields.
  void store_records(const Store& st, const std::vector<Value*>& fields);

  const Loop& loop_;
  const Target& target_;
  llvm::IRBuilder<> b_;
  ScalarEmitter one_, many_;
  int width_;
  bool is_aligned_ =
      false;  // vectors of neighbouring elements lie at multiples of their size, or of 16 bytes if they are larger
  bool has_scratch_ = true;  // otherwise each stage computes again what several stages need
  llvm::Function* function_;
  llvm::BasicBlock* entry_;
  std::vector<Value*> buffers_, parameters_, counters_;
  std::vector<Value*> axes_;         // current position on each axis; null outside of its loop
  std::vector<Value*> row_values_;   // by expression
  std::vector<bool> is_of_16_bits_;  // by expression: see ScalarEmitter::set_of_16_bits
  std::vector<std::vector<Value*>> accumulators_, totals_;
  Value* terms_ = nullptr;  // since the sums were added to the totals
  std::vector<Cached> cached_;
  int next_slot_ = 0;
  Value* lane_numbers_ = nullptr;
  Value* scratch_row_ = nullptr;  // bytes
  Value* outer_linear_ = nullptr;
  Value* packed_part_ = nullptr;        // the part of the tasks whose elements have been packed; -1 at first
  Value* first_packed_lane_ = nullptr;  // of the current task
  std::vector<Value*> tiles_;           // by expression: the transposed elements of a tile, a vector for each row
  llvm::Type* tile_type(DType dtype) { return llvm::ArrayType::get(many_.memory_type(dtype), width_); }
  Value* row_of_tile_ = nullptr;
  std::vector<FieldsRead> fields_read_;  // of the current vector
};

}  // namespace weft::compiler
