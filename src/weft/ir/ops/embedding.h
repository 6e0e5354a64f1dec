// Embedding tables: rows are looked up by ids, pooled, and updated in place. Included through <weft/ir/ops.h>.
//
// Ids come in bags, by key and sample. The bags lie one after the other in `ids`, all bags of the first key first; `ends` [keys, batch]
// says where each bag ends, and a bag begins where the one before it ends. Ids behind the last end are padding.
//
// An entry of a lookup pools the bags of one key with the rows of one table. The pooled rows of all entries lie side by side in
// [batch, sum of the widths], in the order of the entries. Tables are matrices [rows, width] of one dtype; what is pooled is summed in f32,
// or f64 for tables of f64, in the order of the ids, and has that dtype, as do weights and the gradients of pooled rows.
//
// The batch may be given in blocks, as the devices of a mesh hold it: `ids` [blocks, n] and `ends` [blocks, keys, samples], where ends
// count from the first id of the block. Pooled rows are then [blocks, samples, sum of the widths].
//
// Rows may be placed: one matrix [parts * rows, width] holds pieces of several tables, which an operand lists, `pieces` i64
// [parts, slots, PlacedPiece::columns]. Part p has the rows from p * rows on, and only its pieces lie there, so parts may be on different
// devices. Pooled rows are then [batch, parts, slots, width].
//
// A lookup may be unpooled: each id has a row of its own, so "pooled" rows are [n, width], or [blocks, n, width]; ids in no bag of an entry
// have zeros. All tables have one width, and a key has one entry at most. If rows are placed, the slots of a part share [n, parts, width].
//
// The three lookups are the derivatives of one function, which is linear in each of the tables, the weights and the cotangents:
//   sum over entries, samples and ids of the bag: weight * scale * <row of the table, cotangent of the pooled row>
// where the scale is 1, or for entries with a mean, 1 / the number of ids of the bag. So their gradients are each other.
#pragma once

#include <optional>
#include <string>

#include <weft/ir/ops/declare.h>

namespace weft::ir {

// Says how a lookup treats an id that is no row of its table.
enum class IdBounds : std::uint8_t {
  ERROR,   // the launch fails, before anything is written
  WARN,    // the id is skipped, and a message tells how many were
  IGNORE,  // the id is skipped
  SKIP,    // the same, and it is not counted
};
WEFT_ENUM_NAMES(IdBounds, "id_bounds", "ERROR", "WARN", "IGNORE", "SKIP")

struct EmbeddingAttributes {
  // For each entry of the lookup: its key, its table, and whether (1 or 0) the rows of a bag are averaged instead of summed.
  Ints keys, tables, means;
  bool weighted = false;  // each id has a weight: the operand behind the ends
  IdBounds bounds = IdBounds::ERROR;
  std::string_view names;  // of the keys, separated by commas, for messages; may be empty
  // If positive, rows are placed: the last operand lists the pieces, keys, tables and means are empty, and there is one table. An id is in
  // at most so many pieces of a part.
  std::int64_t placed = 0;
  bool unpooled = false;
  // For each table two numbers, c and d: the random bits that an update gives to row r begin at the counter c + d * r. Empty: those of
  // table t begin at t * 2^40, without gaps.
  Ints counters = {};
  static void fields(auto& self, auto&& field) {
    field("keys", self.keys);
    field("tables", self.tables);
    field("means", self.means);
    field("weighted", self.weighted);
    field("bounds", self.bounds);
    field("names", self.names);
    field("placed", self.placed);
    field("unpooled", self.unpooled);
    field("counters", self.counters);
  }
};

// Several lookups, whose entries are concatenated. Entry i is of the lookup `lookups[i]`; its pooled rows begin at `columns[i]`.
struct EmbeddingUpdateAttributes {
  Ints lookups, keys, columns, tables, means;
  Ints weighted;            // for each lookup: 1 if it has weights
  Ints bodies;              // for each table: the region that updates its rows
  std::int64_t states = 0;  // the number of states of each table
  IdBounds bounds = IdBounds::ERROR;
  std::string_view names;  // of the keys of the first lookup
  // Empty if no rows are placed. For each lookup: as EmbeddingAttributes::placed, and the table of the placed rows.
  Ints placed = {}, placed_tables = {};
  Ints unpooled = {};  // for each lookup: 1 if it is unpooled; empty if none is
  // Empty, or as EmbeddingAttributes::counters. Then regions take, behind the states, random bits for the row: u32, as many as it has
  // columns. They are those of Philox with the operand `key` and the counter of the row, whoever computes them.
  Ints counters = {};
  // True: an operand of each table says where the random bits of each of its rows begin, instead of `counters`, which is not empty.
  bool row_counters = false;
  static void fields(auto& self, auto&& field) {
    field("lookups", self.lookups);
    field("keys", self.keys);
    field("columns", self.columns);
    field("tables", self.tables);
    field("means", self.means);
    field("weighted", self.weighted);
    field("bodies", self.bodies);
    field("states", self.states);
    field("bounds", self.bounds);
    field("names", self.names);
    field("placed", self.placed);
    field("placed_tables", self.placed_tables);
    field("unpooled", self.unpooled);
    field("counters", self.counters);
    field("row_counters", self.row_counters);
  }
};

// One entry of a lookup, with its place in the pooled rows. Of the ids 0 to `all_rows`, it takes those from `first_id` on, `rows` many,
// which are the rows of the table from `first_row` on.
struct LookupEntry {
  std::int64_t lookup = 0, key = 0, table = 0, column = 0, width = 0;
  bool mean = false;
  std::int64_t first_id = 0, rows = 0, first_row = 0, all_rows = 0;
  std::int64_t first_counter = 0, counter_step = 0;  // of the random bits of first_row, and from row to row

  // Returns the row of an id; nullopt if another entry takes it, or if it is out of bounds.
  std::optional<std::int64_t> row(std::int64_t id) const {
    if (static_cast<std::uint64_t>(id - first_id) >= static_cast<std::uint64_t>(rows)) return std::nullopt;
    return first_row + (id - first_id);
  }
  bool is_in_bounds(std::int64_t id) const { return id >= 0 && id < all_rows; }
  std::uint64_t counter(std::int64_t row) const {
    return static_cast<std::uint64_t>(first_counter) + static_cast<std::uint64_t>(counter_step) * (row - first_row);
  }
};
// `tables` are the types of the tables. Entries of placed rows are not among them.
std::vector<LookupEntry> lookup_entries(const EmbeddingAttributes& attributes, std::span<const Type> tables);
std::vector<LookupEntry> lookup_entries(const EmbeddingUpdateAttributes& attributes, std::span<const Type> tables);

// A rectangle of a table that lies within a part: the rows of `rows` ids from `first_id` on, some or all of their columns. The order is
// that of the elements of the operand.
struct PlacedPiece {
  static constexpr std::int64_t columns = 8;
  std::int64_t key = -1;  // whose bags are pooled with it; -1: none, and the pooled row is 0
  std::int64_t mean = 0;  // 1: of the ids in a bag, also of those in other pieces, instead of the sum
  std::int64_t first_id = 0, rows = 0;
  std::int64_t first_row = 0;                        // within the part
  std::int64_t all_rows = 0;                         // of its table: other ids are out of bounds
  std::int64_t first_counter = 0, counter_step = 0;  // of the random bits of its first row, and from row to row
};
// How many counters the random bits of a row of this width take.
constexpr std::int64_t counters_of_row(std::int64_t width) { return (width + 3) / 4; }
// The placed rows of a lookup.
struct PlacedLookup {
  std::span<const std::int64_t> pieces;  // the elements of the operand
  Type type;                             // of the operand
  std::int64_t lookup = 0, table = 0;    // their numbers
  Type table_type;
  std::int64_t keys = 0;
  bool unpooled = false;
};
// Appends the entries of placed rows. Throws Error for a piece that does not fit.
void append_placed(std::vector<LookupEntry>& entries, const PlacedLookup& placed);

// Where the operands of a lookup are, whatever stands before them.
struct LookupOperandPlaces {
  int ids = 0, ends = 0, weights = -1, pieces = -1;  // -1: none
};
LookupOperandPlaces lookup_operand_places(int first, bool weighted, bool placed);

// Where the operands of an update are: the tables, for each state that of all tables, the lookups, the key of the random bits if regions
// take any and perhaps where those of each row begin, and the numbers for the regions.
struct UpdateOperands {
  struct Lookup : LookupOperandPlaces {
    int cotangent = 0;
    bool unpooled = false;
  };
  int tables = 0, states = 0;
  std::vector<Lookup> lookups = {};
  int key = -1;           // u64 []; -1: none
  int row_counters = -1;  // i64 [rows], of the first table; those of the others follow; -1: none
  int numbers = 0;        // the first number

  int state(int table, int i) const { return tables + i * tables + table; }
};
UpdateOperands update_operands(const EmbeddingUpdateAttributes& attributes);
// Returns the number of tables that are the first operands of a lookup or of the gradient of its weights.
int lookup_tables(const Node& node);

// Returns the type of one row: without the first dimension.
Type row_type(Type rows);
// Returns the dtype in which rows of this dtype are summed.
DType pooled_dtype(DType table);

// Throw Error for bad ids and ends, in the interpreter and in compiled programs.
[[noreturn]] void fail_id(std::string_view names, std::int64_t key, std::int64_t sample, std::int64_t id,
                          std::int64_t rows);
[[noreturn]] void fail_ends(std::string_view names, std::int64_t key, std::int64_t sample, std::int64_t begin,
                            std::int64_t end, std::int64_t ids);

// The operands of a lookup beside its tables.
struct LookupValues {
  Value ids, ends, weights = {}, pieces = {};  // weights, pieces: may be empty
};
// In the attributes, `weighted` follows from the operands. If there are pieces, `placed` must be positive.
Value embedding_bag(std::span<const Value> tables, const LookupValues& lookup, const EmbeddingAttributes& attributes);
// Returns the gradient of each table. `types` are those of the tables.
std::vector<Value> embedding_bag_gradient(Value cotangent, const LookupValues& lookup, std::span<const Type> types,
                                          const EmbeddingAttributes& attributes);
// Returns the gradient of the weights; those of `lookup` are not used.
Value embedding_weights_gradient(std::span<const Value> tables, Value cotangent, const LookupValues& lookup,
                                 const EmbeddingAttributes& attributes);

void embedding_bag_type(const Call& call, std::vector<Type>& results);
void embedding_bag_gradient_type(const Call& call, std::vector<Type>& results);
void embedding_weights_gradient_type(const Call& call, std::vector<Type>& results);
void embedding_update_type(const Call& call, std::vector<Type>& results);

void embedding_bag_factors(const Node& node, Factors& f);
void embedding_bag_gradient_factors(const Node& node, Factors& f);
void embedding_weights_gradient_factors(const Node& node, Factors& f);
void embedding_update_factors(const Node& node, Factors& f);

void gradient_of_embedding_bag(const GradientCall& c);
void gradient_of_embedding_bag_gradient(const GradientCall& c);
void gradient_of_embedding_weights_gradient(const GradientCall& c);

namespace interpreter {
InterpretRule embedding_bag, embedding_bag_gradient, embedding_update, embedding_weights_gradient;
}

namespace ops {

// clang-format off: a table
WEFT_FAMILY(embedding)

WEFT_OP(embedding_bag) {  // tables..., ids, ends, weights if weighted, pieces if placed
    .name = "embedding_bag", .kind = Kind::opaque, .arity = variadic, .types = embedding_bag_type,
    .gradient = gradient_of_embedding_bag, .interpret = interpreter::embedding_bag, .domain = floats,
    .attributes = schema<EmbeddingAttributes>, .factors = embedding_bag_factors, .batch = batch_by_loop, .dialect = "weft",
};
WEFT_OP(embedding_bag_gradient) {  // cotangent, ids, ends, weights if weighted, pieces if placed; results: for each table
    .name = "embedding_bag_gradient", .kind = Kind::opaque, .arity = variadic, .types = embedding_bag_gradient_type,
    .gradient = gradient_of_embedding_bag_gradient, .interpret = interpreter::embedding_bag_gradient, .domain = floats,
    .attributes = schema<EmbeddingAttributes>, .factors = embedding_bag_gradient_factors, .batch = batch_by_loop, .dialect = "weft",
};
WEFT_OP(embedding_weights_gradient) {  // tables..., cotangent, ids, ends, pieces if placed
    .name = "embedding_weights_gradient", .kind = Kind::opaque, .arity = variadic, .types = embedding_weights_gradient_type,
    .gradient = gradient_of_embedding_weights_gradient, .interpret = interpreter::embedding_weights_gradient, .domain = floats,
    .attributes = schema<EmbeddingAttributes>, .factors = embedding_weights_gradient_factors, .batch = batch_by_loop, .dialect = "weft",
};
// Updates the rows that lookups have read, in place. Operands: UpdateOperands. A region takes a row of the table, the sum of the gradients
// of that row, a row of each state, and the numbers; it returns the new row and the new rows of the states. It runs once for each row that
// occurs in a bag; all others stay as they are. Results: the tables, then each state of all tables.
WEFT_OP(embedding_update) {
    .name = "embedding_update", .kind = Kind::opaque, .arity = variadic, .types = embedding_update_type,
    .gradient = not_differentiable, .interpret = interpreter::embedding_update, .domain = floats,
    .attributes = schema<EmbeddingUpdateAttributes>, .regions = variadic, .factors = embedding_update_factors,
    .batch = batch_by_loop, .dialect = "weft",
};

WEFT_FAMILY_END
// clang-format on

}  // namespace ops
}  // namespace weft::ir
