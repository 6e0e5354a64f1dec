// Tables that are divided among devices: the pieces that lie on a device are the rows of one matrix there, so one kernel looks all of them
// up and one updates them. Tables whose pieces have equal widths and are summed alike share a matrix. Internal to collections.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <weft/embed/placement.h>
#include <weft/tensor/embedding.h>
#include <weft/tensor/parameter.h>

namespace weft::embed {

// One table and the features that look it up.
struct TableOfCollection {
  std::string name;
  std::int64_t rows = 0, width = 0;
  bool mean = false;
  std::int64_t features = 1;
};

// Over which devices the rows of a table are divided, so that pooled rows are summed over them.
enum class DividedOver : std::uint8_t { none, host, all };

// A part of a table: some rows and columns, at some rows of the matrix of a device.
struct TablePiece {
  std::size_t table;
  std::int64_t first_id, rows, first_column;
  std::int64_t device, first_row;
  std::int64_t slot;  // of its first feature among the pooled rows of the device; the others follow
};

// The tables that share a matrix.
struct PlacedGroup {
  DividedOver over;
  std::int64_t width;
  std::int64_t rows = 0, slots = 0;  // of each device
  std::vector<TablePiece> pieces;
  std::string name() const;  // row_wise_64
};

// Places all tables of a plan that are not data-parallel. Throws Error, led by the name of the table, for a placement that does not fit:
// devices that do not exist, columns that do not divide.
std::vector<PlacedGroup> place_tables(std::span<const TableOfCollection> tables, const ShardingPlan& plan);

// Where the pooled rows of a feature stand: the columns of one pooled matrix.
struct PooledColumns {
  std::size_t source;  // a matrix
  std::int64_t first, count;
};

// A group on the devices.
class PlacedTables {
 public:
  PlacedTables(PlacedGroup group, std::vector<TableOfCollection> tables, const ShardingPlan& plan);

  // Puts the rows of tables, [rows, width] each, into the matrix; those of data-parallel tables are not used.
  void set(std::span<const Tensor> tables);
  // Returns the rows of a table, of which this group has some of the columns or all.
  Tensor table(std::size_t table) const;
  bool has(std::size_t table) const;

  // Returns the pooled rows of all features, [batch, columns]; if the options say that nothing is pooled, the rows of all ids, [n, width]
  // or [blocks, n, width], for tables that are not divided by columns. `keys` are those of the features of each table.
  Tensor look_up(const Bags& bags, std::int64_t batch, std::span<const std::vector<std::int64_t>> keys,
                 const LookupOptions& options, std::source_location where) const;
  // Appends where the pooled rows of a feature are: one item for each piece of columns, in their order.
  void append_columns(std::size_t table, std::int64_t feature, std::size_t source,
                      std::vector<PooledColumns>& columns) const;

  const PlacedGroup& group() const { return group_; }
  Parameter& rows() { return rows_; }

 private:
  SavedPieces saved_pieces() const;
  std::vector<std::int64_t> piece_numbers(std::span<const std::vector<std::int64_t>> keys) const;

  PlacedGroup group_;
  std::vector<TableOfCollection> tables_;
  ShardingPlan plan_;
  Parameter rows_;
};

}  // namespace weft::embed
