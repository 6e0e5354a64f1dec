// Embedding tables of which a step looks up a few rows. A lookup reads ids in bags; an optimizer may update only the rows that were read
// (Parameter::sparse_update): the gradient of a table is then never more than a node of the graph. The modules of embed/ are built on this.
#pragma once

#include <cstdint>
#include <functional>
#include <source_location>
#include <span>
#include <string_view>
#include <vector>

#include <weft/tensor/tensor.h>

namespace weft {

// Says how a lookup treats an id that is no row of its table.
enum class IdBounds : std::uint8_t {
  error,   // the launch fails, and nothing is updated
  warn,    // the id is skipped; a warning tells how many were, once for each program and lookup
  ignore,  // the id is skipped; the counter embedding::SkippedIds counts
  skip,    // the same, but it is not counted
};

// Ids in bags by key and sample. The bags lie one after the other in `ids`, all bags of the first key first; ends[k][s] is where the bag of
// key k and sample s ends, and it begins where the one before it ends. Ids behind the last end are padding.
//
// The batch may be given in blocks, so that the devices of a mesh have blocks: ids [blocks, n] and ends [blocks, keys, samples], which
// count from the first id of the block.
struct Bags {
  Tensor ids;           // [n], i32 or i64
  Tensor ends;          // [keys, batch], i32 or i64
  Tensor weights = {};  // [n], one for each id; undefined: all are 1
};

// Pools the rows of a table for the bags of a key.
struct PooledKey {
  std::int64_t key = 0, table = 0;
  bool mean = false;  // of the ids in the bag, instead of the sum
};

struct LookupOptions {
  IdBounds bounds = IdBounds::error;
  std::string_view names = {};  // of the keys, separated by commas, for messages
  // False: each id has its row, so the result is [n, width] or [blocks, n, width]; zeros for ids in no bag of `pooled`. All tables must
  // have one width, and a key may occur once.
  bool pools = true;
  // For each table where the random bits of its rows begin, and from row to row (update_rows); empty: other numbers for each table.
  std::span<const std::int64_t> counters = {};
};

// Returns [batch, sum of the widths], or [blocks, samples, sum of the widths] for a batch in blocks: for each entry of `pooled`, in order,
// the sum or mean of the rows in each bag; zeros for an empty bag. All tables, matrices [rows, width] of one dtype, are looked up by one
// kernel. Sums are f32, or f64 for tables of f64. Throws Error if the operands do not fit; the launch fails if ends decrease or exceed the
// number of ids, and for ids out of range, as `options` tell.
Tensor embedding_bag(std::span<const Tensor> tables, const Bags& bags, std::span<const PooledKey> pooled,
                     const LookupOptions& options = {}, std::source_location where = std::source_location::current());

// Returns the place of each id, [n] or [blocks, n], i64: 0 to n - 1.
Tensor places_of_ids(const Tensor& ids, std::source_location where = std::source_location::current());

// Looks up one id for each key and sample, `ids` [keys, batch]: returns [batch, sum of the widths].
Tensor take_rows(std::span<const Tensor> tables, const Tensor& ids, std::span<const PooledKey> keys,
                 const LookupOptions& options = {}, std::source_location where = std::source_location::current());

// Rows of samples that have different numbers of them, as a matrix for each sample: of `values` [n, width], sample s has so many rows,
// lengths[s], from begins[s] on. Returns [samples, most, width]: at most the first `most` rows of each sample, then zeros. The samples may
// be in blocks: [blocks, n, width], [blocks, samples] gives [blocks, samples, most, width].
Tensor padded_rows(const Tensor& values, const Tensor& begins, const Tensor& lengths, std::int64_t most,
                   std::source_location where = std::source_location::current());

// Pieces of several tables in one matrix, as devices of a mesh have them: part p of the matrix has the rows from p * rows / parts on.
struct PlacedRows {
  Tensor rows;               // [rows, width]
  Tensor pieces;             // i64 [parts, slots, 8]: for each slot of a part, an ir::PlacedPiece
  std::int64_t repeats = 1;  // an id of a key is in at most so many pieces of a part
};

// Returns [batch, parts, slots, width], or [blocks, samples, parts, slots, width] for a batch in blocks: the bags pooled with each piece.
// Unpooled: [n, parts, width], or [blocks, n, parts, width].
Tensor embedding_bag(const PlacedRows& rows, const Bags& bags, const LookupOptions& options = {},
                     std::source_location where = std::source_location::current());

// A table that is to be updated, or in the body of an update, one row of it.
struct TableRows {
  Tensor value;
  Tensor gradient;  // for the body: the sum of the gradients of the row, f32, or f64 for tables of f64
  std::vector<Tensor> states;
  Tensor random_bits = {};  // for the body, if asked for: u32, as many as the row has columns
  Tensor row_counters =
      {};  // of a table: i64 [rows], where the random bits of each row begin; undefined: as the lookup says
};
struct UpdatedRows {
  Tensor value;
  std::vector<Tensor> states;
};

struct UpdateOptions {
  // u64 []: rows have random bits, which follow from this key and the row, whatever the number of threads, and wherever the row lies.
  Tensor random_key = {};
  // If defined, a number: elements of the gradients of pooled rows are first brought between -max_gradient and max_gradient.
  Tensor max_gradient = {};
};

// Returns tables and states in which the rows that lookups have read are updated, each once, by `body`; other rows are unchanged.
// `gradient` must be what grad returned for the table, in the same program, and must come from lookups alone: it is not computed. All
// tables have one dtype and the same number of states; a state has one row for each row of its table: [rows, ...].
//
// `body` is recorded once. It gets one row of each table, without the first dimension, and returns the next one; a row may not depend on
// rows of other tables. Tensors from outside may be used freely; what depends on no row is computed once.
std::vector<UpdatedRows> update_rows(
    std::span<const TableRows> tables,
    const std::function<std::vector<UpdatedRows>(std::span<const TableRows> rows)>& body,
    const UpdateOptions& options = {}, std::source_location where = std::source_location::current());

}  // namespace weft
