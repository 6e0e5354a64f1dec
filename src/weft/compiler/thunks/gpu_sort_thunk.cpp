#include <weft/compiler/thunks/gpu_sort_thunk.h>

#include <limits>

#include <weft/base/error.h>
#include <weft/compiler/loop/sort_kernel.h>
#include <weft/compiler/passes/pipeline.h>
#include <weft/compiler/thunks/gpu_kernel_thunk.h>
#include <weft/ir/text/text.h>

namespace weft::compiler {

using runtime::Slice;

bool set_gpu_sort(Unit& unit, const ir::Node& node, const NativeContext& context) {
  Report ignored;
  auto comparator = run_pipeline(*node.regions[0], context.options, ignored);
  const Type type = node.operand(0).type();
  const std::int64_t given = node.attributes<ir::SortAttributes>().dimension;  // may count from the last one, -1
  const int dimension = static_cast<int>(given < 0 ? given + type.rank() : given);
  const std::int64_t length = type.size(dimension), elements = type.elements();
  if (!is_scalar_body(*comparator) || elements > std::numeric_limits<std::int32_t>::max()) return false;
  std::int64_t inner = 1;
  for (int d = dimension + 1; d < type.rank(); ++d) inner *= type.size(d);
  const auto kernel = std::make_shared<SortKernel>();
  std::string key = "sort";
  for (const ir::Value operand : node.operands) {
    kernel->dtypes.push_back(operand.dtype());
    key += concat(' ', operand.dtype());
  }
  key += concat('\n', ir::print(*comparator));
  kernel->comparator = std::move(comparator);
  const auto routine = std::make_shared<Routine>(Routine{kernel.get(), std::move(key), kernel});
  routine->on_gpu = true;
  context.routines.push_back(routine);
  unit.scratch_bytes = length > short_sort ? elements * sizeof(std::int32_t) : 0;
  const GpuGrid grid = sort_grid(length == 0 ? 0 : elements / length, length);
  unit.thunk().make = [routine, grid, length, inner, target = context.options.target](
                          std::span<const Slice> reads, std::span<const Slice> writes, const Slice& scratch) {
    std::vector<Slice> buffers(reads.begin(), reads.end());
    buffers.insert(buffers.end(), writes.begin(), writes.end());
    buffers.push_back(scratch.bytes ? scratch : writes[0]);  // short rows need no memory for their positions
    std::vector<GpuKernelCall> calls;
    calls.emplace_back(*static_cast<const GpuKernel*>(routine->address), std::move(buffers),
                       std::vector<std::int64_t>{length, inner}, grid);
    return std::make_unique<GpuKernelThunk>(std::move(calls), *target);
  };
  return true;
}

}  // namespace weft::compiler
