#include <weft/compiler/thunks/attention_unit.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <weft/base/error.h>
#include <weft/compiler/thunks/cpu_attention_thunk.h>
#include <weft/compiler/thunks/gpu_kernel_thunk.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

struct Strides {
  std::int64_t batch, head, row;  // elements from one to the next
};

// The numbers of one attention.
struct Numbers {
  std::int64_t batches, heads, queries, keys, width;
  bool is_by_time;                     // whether the heads of one row lie beside each other in the results
  std::vector<std::uint64_t> offsets;  // bytes, one for each operand
  std::vector<Strides> operands;       // of those with rows

  Strides dense(std::int64_t rows) const { return {heads * rows * width, rows * width, width}; }
  Strides result(std::int64_t rows) const {
    return is_by_time ? Strides{rows * heads * width, width, heads * width} : dense(rows);
  }
  double products(double count) const {  // operations of so many products of queries and keys
    return 2 * count * static_cast<double>(batches * heads) * static_cast<double>(queries * keys) *
           static_cast<double>(width);
  }
};

// Heads are the dimension before the rows, batches the one before; with more dimensions, which lie densely, all of them are heads.
Numbers numbers_at(const Attention& attention, const SizeValues& sizes) {
  const Type q = sizes(attention.node->operand(0).type()), k = sizes(attention.node->operand(1).type());
  const int rank = q.rank();
  Numbers numbers{1,  1, q.size(rank - 2), k.size(rank - 2), q.size(rank - 1), is_attention_by_time(*attention.node),
                  {}, {}};
  for (int d = 0; d < rank - 2; ++d) (rank == 4 && d == 0 ? numbers.batches : numbers.heads) *= q.size(d);
  for (std::size_t i = 0; i < attention.operands.size(); ++i) {
    const View& view = attention.operands[i];
    numbers.offsets.push_back(static_cast<std::uint64_t>(sizes(view.offset)) * byte_size(view.base.dtype()));
    const auto stride = [&](int dim) { return sizes(view.strides[static_cast<std::size_t>(dim)]); };
    Strides strides = numbers.dense(i == 1 || i == 2 ? numbers.keys : numbers.queries);
    if (rank == 4) strides = {stride(0), stride(1), stride(2)};
    if (rank == 3) strides = {0, stride(0), stride(1)};
    if (rank == 2) strides = {0, 0, stride(0)};
    require(std::cmp_less(2 * strides.row, std::numeric_limits<std::int32_t>::max()), "attention: rows lie ",
            strides.row, " elements apart, which is too far");
    numbers.operands.push_back(strides);
  }
  return numbers;
}

GpuKernelCall call_of(const Routine& routine, const Numbers& numbers, std::vector<Slice> buffers,
                      const std::vector<Strides>& strides) {
  const AttentionKernel& kernel = *std::get<const AttentionKernel*>(routine.source);
  const AttentionTiles tiles = attention_tiles(kernel);
  const std::int64_t rows = kernel.part == AttentionKernel::Part::key_gradient ? numbers.keys : numbers.queries;
  const std::int64_t row_blocks = (rows + tiles.rows - 1) / tiles.rows,
                     blocks = row_blocks * numbers.batches * numbers.heads;
  require(std::max({numbers.queries, numbers.keys, blocks}) < std::numeric_limits<std::int32_t>::max() / 2,
          "attention: ", numbers.queries, " queries and ", numbers.keys, " keys are too many");
  std::vector<std::int64_t> parameters{numbers.heads, numbers.queries, numbers.keys, row_blocks};
  for (const Strides& s : strides) parameters.insert(parameters.end(), {s.batch, s.head, s.row});
  GpuGrid grid;
  grid.blocks_x = static_cast<std::uint32_t>(blocks);
  grid.threads_x = static_cast<std::uint32_t>(tiles.threads);
  grid.shared_bytes = static_cast<std::uint32_t>(tiles.shared_bytes);
  return {*static_cast<const GpuKernel*>(routine.address), std::move(buffers), std::move(parameters), grid};
}

// Returns the slices of the operands where their views begin.
std::vector<Slice> operand_slices(std::span<const Slice> reads, const Numbers& numbers) {
  std::vector<Slice> slices(reads.begin(), reads.end());
  for (std::size_t i = 0; i < slices.size(); ++i) {
    slices[i].offset += numbers.offsets[i];
    slices[i].bytes -= numbers.offsets[i];
  }
  return slices;
}

std::vector<GpuKernelCall> forward_calls(const std::vector<std::shared_ptr<Routine>>& routines, const Numbers& n,
                                         std::span<const Slice> reads, std::span<const Slice> writes) {
  std::vector<Slice> buffers = operand_slices(reads, n);
  buffers.insert(buffers.end(), writes.begin(), writes.end());
  return {call_of(*routines[0], n, buffers, {n.operands[0], n.operands[1], n.operands[2], n.result(n.queries)})};
}

// Operands: q, k, v, the result, log_sums, d_result. The scratch memory has the sums of result * d_result.
std::vector<GpuKernelCall> gradient_calls(const std::vector<std::shared_ptr<Routine>>& routines, const Numbers& n,
                                          std::span<const Slice> reads, std::span<const Slice> writes,
                                          const Slice& sums) {
  const std::vector<Slice> in = operand_slices(reads, n);
  const auto& s = n.operands;
  return {call_of(*routines[0], n, {in[0], in[1], in[2], in[5], in[3], in[4], writes[0], sums},
                  {s[0], s[1], s[2], s[5], s[3], n.result(n.queries)}),
          call_of(*routines[1], n, {in[0], in[1], in[2], in[5], in[4], sums, writes[1], writes[2]},
                  {s[0], s[1], s[2], s[5], n.result(n.keys), n.result(n.keys)})};
}

// The thunks of a GPU. The scratch memory has the sums of result * d_result.
HandwrittenThunk gpu_thunk(const ir::Node& node, const Target& target, const Numbers& numbers) {
  using Part = AttentionKernel::Part;
  const bool is_gradient = is_attention_gradient(node);
  HandwrittenThunk thunk;
  const auto add = [&](Part part) {
    auto kernel = std::make_shared<const AttentionKernel>(AttentionKernel::of(node, part, target));
    thunk.routines.push_back(std::make_shared<Routine>(Routine{kernel.get(), kernel->key(), kernel}));
    thunk.routines.back()->on_gpu = true;
  };
  if (is_gradient) {
    add(Part::query_gradient);
    add(Part::key_gradient);
  } else {
    add(Part::forward);
  }
  thunk.make = [routines = thunk.routines, numbers, is_gradient, &target](
                   std::span<const Slice> reads, std::span<const Slice> writes, const Slice& scratch) {
    return std::make_unique<GpuKernelThunk>(is_gradient ? gradient_calls(routines, numbers, reads, writes, scratch)
                                                        : forward_calls(routines, numbers, reads, writes),
                                            target);
  };
  return thunk;
}

// The thunk of a CPU.
HandwrittenThunk cpu_thunk(const ir::Node& node, const Target& target, const Numbers& n) {
  const bool is_gradient = is_attention_gradient(node);
  auto kernel = std::make_shared<const CpuAttention>(
      CpuAttention::of(node, is_gradient ? CpuAttention::Part::gradient : CpuAttention::Part::forward));
  const CpuAttentionTiles tiles = cpu_attention_tiles(*kernel, target);
  const CpuAttentionScratch scratch = cpu_attention_scratch(*kernel, tiles, n.queries);
  const std::int64_t blocks = (n.queries + tiles.queries() - 1) / tiles.queries(), heads = n.batches * n.heads;
  std::vector<Strides> strides(n.operands.begin(), n.operands.begin() + 3);
  if (is_gradient) strides.insert(strides.end(), {n.operands[5], n.operands[3]});
  strides.push_back(n.result(n.queries));
  if (is_gradient) strides.insert(strides.end(), 2, n.result(n.keys));
  std::vector<std::int64_t> parameters{n.heads, n.queries, n.keys, blocks};
  parameters.insert(parameters.end(), scratch.places.begin(), scratch.places.end());
  for (const Strides& s : strides) parameters.insert(parameters.end(), {s.batch, s.head, s.row});
  const std::int64_t tasks = is_gradient ? heads : heads * blocks;
  const double task_flops = n.products(is_gradient ? 5 : 2) / static_cast<double>(std::max<std::int64_t>(tasks, 1));
  HandwrittenThunk thunk;
  thunk.routines.push_back(std::make_shared<Routine>(Routine{kernel.get(), kernel->key(), kernel}));
  thunk.make = [routine = thunk.routines[0], n, parameters, tasks, task_flops, bytes = scratch.bytes, is_gradient](
                   std::span<const Slice> reads, std::span<const Slice> writes, const Slice&) {
    std::vector<Slice> buffers = operand_slices(reads, n);
    if (is_gradient) buffers = {buffers[0], buffers[1], buffers[2], buffers[5], buffers[3], buffers[4]};
    buffers.insert(buffers.end(), writes.begin(), writes.end());
    const auto address = reinterpret_cast<Kernel>(routine->address);
    return std::make_unique<CpuAttentionThunk>(address, std::move(buffers), parameters, tasks, task_flops, bytes);
  };
  return thunk;
}

Unit sized(const Attention& attention, const Target& target, const SizeValues& sizes) {
  const ir::Node& node = *attention.node;
  const bool is_gradient = is_attention_gradient(node);
  const Numbers numbers = numbers_at(attention, sizes);
  Unit unit;
  unit.info.category = "attention";
  unit.info.name = concat(is_gradient ? "attention_gradient." : "attention.", node.id);
  unit.order = node.id;
  for (const View& view : attention.operands) unit.reads.push_back(storage_of(view.base));
  for (std::uint32_t i = 0; i < node.types.size(); ++i) unit.writes.push_back({const_cast<ir::Node*>(&node), i});
  const double products = (is_gradient ? 5 : 2) * (is_causal_attention(node) ? 0.5 : 1);
  unit.flops = static_cast<std::int64_t>(numbers.products(products));
  const auto scratch = static_cast<std::uint64_t>(numbers.batches * numbers.heads * numbers.queries) * sizeof(float);
  if (is_gradient && target.is_gpu) unit.scratch_bytes = scratch;
  unit.form = target.is_gpu ? gpu_thunk(node, target, numbers) : cpu_thunk(node, target, numbers);
  return unit;
}

}  // namespace

Unit attention_unit(const Attention& attention, const Target& target, const SizeValues& values) {
  std::vector<Size> sizes;
  for (const ir::Value operand : attention.node->operands)
    for (const Dim dim : operand.type().dims()) sizes.emplace_back(dim);
  for (const View& view : attention.operands) {
    sizes.push_back(view.offset);
    sizes.insert(sizes.end(), view.strides.begin(), view.strides.end());
  }
  Unit unit = sized(attention, target, values);
  if (std::ranges::all_of(sizes, &Size::is_constant)) return unit;
  unit.form =
      SizedLater{[attention, &target](const SizeValues& at) { return std::optional(sized(attention, target, at)); },
                 std::move(sizes)};
  return unit;
}

}  // namespace weft::compiler
