// The loop form: one fused kernel, after fusion and before machine code (the second of weft's two IRs). A kernel walks a domain of axes and
// computes expressions of the position. Its structure is separate from its numbers: sizes, strides and offsets are launch parameters, so
// kernels that differ only in them are compiled once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <weft/compiler/loop/access.h>
#include <weft/ir/op.h>

namespace weft::compiler {

// Either 0, 1 or -1, known when the kernel is generated, or the launch parameter with this number.
struct Number {
  std::int32_t parameter = -1;
  std::int32_t known = 0;

  bool is(int value) const { return parameter < 0 && known == value; }
  friend bool operator==(const Number&, const Number&) = default;
};

// offset + sum of coefficient * axis.
struct Position {
  Number offset;
  std::vector<Number> coefficients;  // one per axis

  friend bool operator==(const Position&, const Position&) = default;
};

using ExprId = std::int32_t;

struct PositionBound {
  Position index;  // in [0, size)
  Number size;
};

// A further term of a position, which comes from data: the value of an expression, clamped to [0, limit], times the stride.
struct Gathered {
  ExprId index = 0;
  Number limit, stride;
  bool is_narrow = false;  // every position in the tensor fits into 31 bits
};

// Lanes that lie in neighbouring records, as in an array of structures: lane i reads or writes element `field` of the record that is i
// records behind the position. Every record that is touched lies in the buffer as a whole.
struct Record {
  std::int16_t size = 0;  // 0: the lanes are no records
  std::int16_t field = 0;

  explicit operator bool() const { return size > 0; }
  friend bool operator==(const Record&, const Record&) = default;
};

// One expression, with a value at each point of the axes that it depends on.
struct Expr {
  enum class Kind : std::uint8_t {
    load,      // an element of a buffer; where a bound does not hold, nothing is read and the value is zero
    constant,  // `bits`
    index,     // `position`, converted to the dtype
    within,    // boolean: whether all bounds hold
    select,    // operands: predicate, on true, on false
    apply,     // the scalar meaning of the op
    reduce,    // reduces operands[0] over the reduced axes with the op
  };
  Kind kind = Kind::constant;
  DType dtype = DType::f32;
  bool per_lane = false;  // depends on a lane axis (in a row kernel, a reduce never does)
  bool cached = false;    // kept in scratch memory for later stages
  // Load, Walk::columns: its elements are neighbours along the serial axis. They are transposed into scratch memory before the rows that share
  // them read them, and are neighbours along the lanes there.
  bool packed = false;
  // reduce, apply of add: adds its terms, which are products, without rounding them before. For apply, the term is operands[1].
  bool contracts = false;
  std::int8_t stage = 0;  // first stage in which it can be computed
  std::vector<ExprId> operands;
  const ir::Op* op = nullptr;         // apply, reduce
  const void* attributes = nullptr;   // apply
  std::uint64_t bits = 0;             // constant: the element's bytes
  std::int32_t buffer = -1;           // load
  Position position;                  // load, index
  std::vector<PositionBound> bounds;  // load, within
  std::vector<Gathered> gathered;     // load
  Record record = {};                 // load
};

struct Store {
  ExprId value = 0;
  std::int32_t buffer = 0;
  Position position;
  std::vector<Gathered> gathered;  // by expressions that have one value for all lanes
  Record record = {};              // all fields of a record are stored
};

// How the axes are walked. Rows are divided among threads; lanes are vectorised.
enum class Walk : std::uint8_t {
  lanes,    // one axis, which is itself divided among threads
  rows,     // for each row: for each stage: for each lane; reductions run over the lanes
  columns,  // for each row and block of lanes: for each point of the serial axes; reductions run over the serial axes
  tiles,  // for each rectangle of the last row axis and the lanes; what lies along that axis is transposed in registers
  records,  // for each row and block of lanes; straight code computes the few elements that belong to a lane
};

// How much of a walk is done at once. The only results that depend on it are sums along a row, through their order.
struct Tiling {
  int block = 64;         // Walk::columns, tiles, records: lanes of one task, a power-of-two number of vectors
  int rows_together = 1;  // Walk::columns, tiles: neighbours along the last row axis in one task
  int sums_together = 4;  // Walk::rows with a reduction: vectors with independent partial sums

  friend bool operator==(const Tiling&, const Tiling&) = default;
};

struct Loop {
  Walk walk = Walk::rows;
  int rows = 0, serial = 0, lanes = 0;  // number of axes of each role; the axes are in this order
  std::vector<Number> sizes;            // of each axis
  int stages = 1;                       // passes over the lanes of a row
  int known_lanes = 0;  // Walk::rows, columns: the number of lanes if it is known to the code, otherwise 0
  int points = 1;       // Walk::records: elements of the kernel's domain that belong to a lane
  Tiling tiling;
  std::vector<Expr> exprs;  // operands come before their uses
  std::vector<Store> stores;
  std::vector<DType> buffers;  // inputs, then outputs
  int inputs = 0;
  int outputs() const { return std::ssize(buffers) - inputs; }
  bool contract = true;          // multiply and add may be contracted
  std::vector<Size> parameters;  // given at launch

  // Returns the text that determines the machine code: equal keys mean equal code.
  std::string key() const;
};

// Scratch memory has 8 bytes for each lane of a row. Rows are aligned so that no vector crosses a cache line.
inline constexpr std::int64_t scratch_lanes = 8;
constexpr std::int64_t scratch_row(std::int64_t lanes) {
  return (lanes + scratch_lanes - 1) / scratch_lanes * scratch_lanes * 8;
}

// Returns whether a load reads neighbouring elements along this row axis, but not along the lanes, as in a transpose.
bool runs_along(const Loop& loop, const Expr& e, int axis);
// Returns whether all stores write neighbouring elements along the lanes.
bool stores_along_lanes(const Loop& loop);

// Packed elements in scratch memory: each point of the serial axis has a row of packed_lanes(loop) elements, and the number of points is
// rounded up to a multiple of packed_points.
std::int64_t packed_lanes(const Loop& loop);
inline constexpr std::int64_t packed_points = 16;
// Packing pays from so many rows and lanes on.
inline constexpr std::int64_t least_packed_rows = 8, least_packed_lanes = 5;

// The amount of work of a launch with given parameters.
struct LoopExtent {
  // Rows, or elements for Walk::lanes, or blocks * groups of rows for Walk::columns, tiles and records.
  std::int64_t tasks = 0;
  std::int64_t serial_count = 0;   // product of the serial axes
  std::int64_t lane_count = 0;     // product of the lane axes
  std::int64_t scratch_bytes = 0;  // for each thread
};
LoopExtent extent_of(const Loop& loop, std::span<const std::int64_t> parameters);

// The number of elements of work that justifies involving another thread.
inline constexpr std::int64_t worthwhile_elements = 16384;

// Returns how many elements one task of the loop computes.
std::int64_t elements_per_task(const Loop& loop, const LoopExtent& extent);

}  // namespace weft::compiler
