#include <weft/embed/placed_tables.h>

#include <algorithm>
#include <utility>

#include <weft/ir/ops/embedding.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reduction.h>
#include <weft/tensor/rounding.h>
#include <weft/tensor/sharding.h>

namespace weft::embed {

namespace {

DividedOver divided_over(TableSharding sharding) {
  switch (sharding) {
    case TableSharding::row_wise: return DividedOver::all;
    case TableSharding::table_row_wise:
    case TableSharding::grid: return DividedOver::host;
    default: return DividedOver::none;
  }
}

// The devices that have rows of a piece of columns.
struct Devices {
  std::int64_t first, count;
};

Devices devices_of(DividedOver over, std::int64_t at, const ShardingPlan& plan) {
  switch (over) {
    case DividedOver::all: return {0, plan.devices()};
    case DividedOver::host: return {at * plan.devices_of_a_host(), plan.devices_of_a_host()};
    case DividedOver::none: return {at, 1};
  }
  __builtin_unreachable();
}

void check(const TableOfCollection& table, const TablePlacement& placement, const ShardingPlan& plan) {
  const DividedOver over = divided_over(placement.sharding);
  const auto expect = [&](bool condition, const auto&... parts) {
    require(condition, "EmbeddingBagCollection: table \"", table.name, "\", ", placement.sharding, ": ", parts...);
  };
  const std::int64_t pieces = std::ssize(placement.at);
  const bool has_columns =
      placement.sharding == TableSharding::column_wise || placement.sharding == TableSharding::grid;
  expect(over == DividedOver::all ? pieces == 0
         : has_columns            ? pieces > 0
                                  : pieces == 1,
         "it lies at ", pieces,
         over == DividedOver::all ? " places; name none, because all devices have rows"
         : has_columns            ? " places; name one for each piece of columns"
                                  : " places; name one");
  if (over == DividedOver::host)
    expect(plan.axes.size() > 1, "the plan has a single axis; name the axis of the hosts and that of their devices");
  const std::int64_t places = over == DividedOver::host ? plan.devices() / plan.devices_of_a_host() : plan.devices();
  for (const std::int64_t at : placement.at)
    expect(at >= 0 && at < places, "there is no ", over == DividedOver::host ? "host " : "device ", at,
           "; they are 0 to ", places - 1);
  if (pieces > 1) expect(table.width % pieces == 0, table.width, " columns do not divide into ", pieces, " pieces");
}

// Finds the group, or makes it.
PlacedGroup& group_of(std::vector<PlacedGroup>& groups, DividedOver over, std::int64_t width) {
  for (PlacedGroup& group : groups)
    if (group.over == over && group.width == width) return group;
  return groups.emplace_back(PlacedGroup{.over = over, .width = width, .pieces = {}});
}

Tensor rows_of(const Tensor& x, std::int64_t first, std::int64_t count) { return narrow(x, 0, first, count); }

}  // namespace

std::string PlacedGroup::name() const {
  constexpr const char* names[] = {"table_wise", "table_row_wise", "row_wise"};
  return concat(names[static_cast<int>(over)], '_', width);
}

std::vector<PlacedGroup> place_tables(std::span<const TableOfCollection> tables, const ShardingPlan& plan) {
  require(plan.tables.size() == tables.size(), "EmbeddingBagCollection: the plan has ", plan.tables.size(),
          " tables, the collection ", tables.size());
  require(!plan.axes.empty(), "EmbeddingBagCollection: the plan names no axis of its mesh");
  std::vector<PlacedGroup> groups;
  std::vector<std::vector<std::int64_t>> next_row, next_slot;  // of each group and device
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const TablePlacement& placement = plan.tables[t];
    if (placement.sharding == TableSharding::data_parallel) continue;
    check(tables[t], placement, plan);
    const DividedOver over = divided_over(placement.sharding);
    const std::vector<std::int64_t> at = placement.at.empty() ? std::vector<std::int64_t>{0} : placement.at;
    const std::int64_t width = tables[t].width / std::ssize(at);
    PlacedGroup& group = group_of(groups, over, width);
    const std::size_t g = &group - groups.data();
    next_row.resize(groups.size(), std::vector<std::int64_t>(plan.devices()));
    next_slot.resize(groups.size(), std::vector<std::int64_t>(plan.devices()));
    for (std::size_t c = 0; c < at.size(); ++c) {
      const auto [first, count] = devices_of(over, at[c], plan);
      const std::int64_t rows = (tables[t].rows + count - 1) / count;
      for (std::int64_t d = 0; d < count; ++d) {
        const std::int64_t begin = std::min(tables[t].rows, d * rows), device = first + d;
        const std::int64_t own = std::min(tables[t].rows, begin + rows) - begin;
        group.pieces.push_back({.table = t,
                                .first_id = begin,
                                .rows = own,
                                .first_column = static_cast<std::int64_t>(c) * width,
                                .device = device,
                                .first_row = next_row[g][device],
                                .slot = next_slot[g][device]});
        next_row[g][device] += own;
        next_slot[g][device] += tables[t].features;
        group.rows = std::max(group.rows, next_row[g][device]);
        group.slots = std::max(group.slots, next_slot[g][device]);
      }
    }
  }
  return groups;
}

PlacedTables::PlacedTables(PlacedGroup group, std::vector<TableOfCollection> tables, const ShardingPlan& plan)
    : group_(std::move(group)), tables_(std::move(tables)), plan_(plan) {}

bool PlacedTables::has(std::size_t table) const {
  return std::ranges::count(group_.pieces, table, &TablePiece::table) != 0;
}

void PlacedTables::set(std::span<const Tensor> tables) {
  std::vector<TablePiece> pieces = group_.pieces;
  std::ranges::stable_sort(pieces, {}, &TablePiece::device);
  std::vector<Tensor> rows;
  DType dtype = DType::f32;
  for (const Tensor& table : tables)
    if (table.defined()) dtype = table.dtype();
  const auto fill = [&](std::int64_t count) {
    if (count > 0) rows.push_back(zeros({count, group_.width}, dtype));
  };
  std::int64_t device = 0, filled = 0;
  for (const TablePiece& piece : pieces) {
    for (; device < piece.device; ++device) fill(group_.rows - std::exchange(filled, 0));
    if (piece.rows == 0) continue;
    rows.push_back(
        narrow(narrow(tables[piece.table], 0, piece.first_id, piece.rows), 1, piece.first_column, group_.width));
    filled += piece.rows;
  }
  for (; device < plan_.devices(); ++device) fill(group_.rows - std::exchange(filled, 0));
  rows_ = concatenate(rows);
  rows_.saved_pieces = std::make_shared<const SavedPieces>(saved_pieces());
  std::string axes;
  for (const std::string& axis : plan_.axes) axes += concat(axes.empty() ? "" : ",", axis);
  shard(rows_, PartitionSpec({axes}), plan_.mesh);
}

SavedPieces PlacedTables::saved_pieces() const {
  SavedPieces saved{.own = concat("placed.", group_.name(), ".weight"), .matrices = {}, .pieces = {}};
  std::map<std::size_t, std::size_t> number;  // of each table among the matrices
  for (const TablePiece& piece : group_.pieces) {
    const auto [entry, is_new] = number.try_emplace(piece.table, saved.matrices.size());
    const TableOfCollection& table = tables_[piece.table];
    if (is_new)
      saved.matrices.push_back(
          {.name = concat("embedding_bags.", table.name, ".weight"), .rows = table.rows, .width = table.width});
    saved.pieces.push_back({.matrix = entry->second,
                            .first_row = piece.first_id,
                            .rows = piece.rows,
                            .first_column = piece.first_column,
                            .at = piece.device * group_.rows + piece.first_row});
  }
  return saved;
}

Tensor PlacedTables::table(std::size_t table) const {
  std::map<std::int64_t, std::vector<Tensor>> columns;  // by first column: the rows
  for (const TablePiece& piece : group_.pieces)
    if (piece.table == table && piece.rows > 0)
      columns[piece.first_column].push_back(rows_of(rows_, piece.device * group_.rows + piece.first_row, piece.rows));
  std::vector<Tensor> all;
  for (const auto& [first, rows] : columns) all.push_back(concatenate(rows));
  return concatenate(all, 1);
}

std::vector<std::int64_t> PlacedTables::piece_numbers(std::span<const std::vector<std::int64_t>> keys) const {
  constexpr std::int64_t size = ir::PlacedPiece::columns;
  std::vector<std::int64_t> numbers(plan_.devices() * group_.slots * size, 0);
  for (std::size_t i = 0; i < numbers.size(); i += size) numbers[i] = -1;
  for (const TablePiece& piece : group_.pieces)
    for (std::size_t f = 0; f < keys[piece.table].size(); ++f) {
      const std::int64_t slot = piece.device * group_.slots + piece.slot + static_cast<std::int64_t>(f);
      const TableOfCollection& table = tables_[piece.table];
      const std::int64_t step = ir::counters_of_row(table.width);
      const std::int64_t row[] = {keys[piece.table][f],
                                  table.mean ? 1 : 0,
                                  piece.first_id,
                                  piece.rows,
                                  piece.first_row,
                                  table.rows,
                                  rounding_counter(table.name) + piece.first_id * step + piece.first_column / 4,
                                  step};
      std::ranges::copy(row, numbers.begin() + slot * size);
    }
  return numbers;
}

Tensor PlacedTables::look_up(const Bags& bags, std::int64_t batch, std::span<const std::vector<std::int64_t>> keys,
                             const LookupOptions& options, std::source_location where) const {
  const std::int64_t devices = plan_.devices(), host = plan_.devices_of_a_host();
  std::vector<std::int64_t> numbers = piece_numbers(keys);
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> count;  // of the pieces of a device with a key
  std::int64_t repeats = 1;
  for (std::int64_t slot = 0; slot < devices * group_.slots; ++slot)
    if (const std::int64_t key = numbers[slot * ir::PlacedPiece::columns]; key >= 0)
      repeats = std::max(repeats, ++count[{slot / group_.slots, key}]);
  const PlacedRows rows{.rows = rows_,
                        .pieces = from_vector(std::move(numbers), {devices, group_.slots, ir::PlacedPiece::columns}),
                        .repeats = repeats};
  const Tensor pooled = embedding_bag(rows, bags, options, where);
  if (!options.pools) return sum(pooled, {-2});
  switch (group_.over) {
    case DividedOver::none: return reshape(pooled, {batch, devices * group_.slots * group_.width});
    case DividedOver::host:
      return reshape(sum(reshape(pooled, {batch, devices / host, host, group_.slots, group_.width}), {2}),
                     {batch, devices / host * group_.slots * group_.width});
    case DividedOver::all:
      return reshape(sum(reshape(pooled, {batch, devices, group_.slots, group_.width}), {1}),
                     {batch, group_.slots * group_.width});
  }
  __builtin_unreachable();
}

void PlacedTables::append_columns(std::size_t table, std::int64_t feature, std::size_t source,
                                  std::vector<PooledColumns>& columns) const {
  std::int64_t next = 0;  // the first column of the next piece
  for (const TablePiece& piece : group_.pieces) {
    if (piece.table != table || piece.first_column != next || piece.first_id != 0) continue;
    const std::int64_t place = group_.over == DividedOver::none   ? piece.device
                               : group_.over == DividedOver::host ? piece.device / plan_.devices_of_a_host()
                                                                  : 0;
    columns.push_back({source, (place * group_.slots + piece.slot + feature) * group_.width, group_.width});
    next += group_.width;
  }
}

}  // namespace weft::embed
