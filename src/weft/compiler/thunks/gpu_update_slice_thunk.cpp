#include <weft/compiler/thunks/gpu_update_slice_thunk.h>

#include <algorithm>

#include <weft/base/error.h>
#include <weft/base/size.h>
#include <weft/compiler/loop/draft.h>
#include <weft/compiler/thunks/copy_thunk.h>
#include <weft/compiler/thunks/gpu_kernel_thunk.h>

namespace weft::compiler {

using ir::Value;
using runtime::Slice;

namespace {

// Returns the loop over the elements of the update. It reads the update and the starts, and stores in the result.
Lowered store_update(const ir::Node& node, Value result, const Options& options) {
  const Value operand = node.operand(0), update = node.operand(1);
  DraftLoop loop;
  Index at;
  for (const Dim d : update.type().dims()) {
    at.push_back(axis_index(loop.axes.size()));
    loop.axes.push_back(d);
    loop.roles.push_back(Role::lane);
  }
  const std::vector<Size> strides = strides_of(operand.type().dims());
  std::vector<DraftGathered> starts;
  for (int d = 0; d < operand.rank(); ++d) {
    const Size limit = Size(operand.type().dim(d)) - Size(update.type().dim(d));
    if (!limit.is(0)) starts.push_back({loop.load(node.operand(2 + d), {}, {}, {}), limit, strides[d]});
  }
  const ExprId value = loop.load(update, linearise(at, update.type().dims()), {}, {});
  loop.stores.push_back({value, 0, linearise(at, operand.type().dims()), std::move(starts)});
  KernelRequest request;
  request.outputs = {result};
  request.contract = !options.strict;
  request.target = options.target;
  arrange_axes(loop, request.contract);
  const Status stages = assign_stages(loop);
  WEFT_ASSERT(stages.ok(), "a loop without reductions has one stage");
  return finalize(std::move(loop), request);
}

// Copies the operand to the result, if it lies elsewhere, before the kernel stores the update.
class GpuUpdateSliceThunk final : public runtime::Thunk {
 public:
  GpuUpdateSliceThunk(const Slice& operand, const Slice& result, GpuKernelCall store, const Target& target)
      : operand_(operand), result_(result), store_({std::move(store)}, target), is_nvidia_(target.is_nvidia()) {
    on_device = is_nvidia_;
  }
  void run(const runtime::Launch& launch) const override {
    copy_on_gpu(launch, operand_, result_, is_nvidia_);
    store_.run(launch);
  }

 private:
  Slice operand_, result_;
  GpuKernelThunk store_;
  bool is_nvidia_;
};

}  // namespace

void set_gpu_update_slice(Unit& unit, const ir::Node& node, const NativeContext& context) {
  Lowered lowered = store_update(node, unit.writes[0], context.options);
  std::vector<std::size_t> inputs;  // the operands of the node that the loop reads
  for (const Value v : lowered.inputs) inputs.push_back(std::ranges::find(node.operands, v) - node.operands.begin());
  const auto loop = std::make_shared<const Loop>(std::move(lowered.loop));
  const auto routine = std::make_shared<Routine>(Routine{loop.get(), loop->key(), loop});
  routine->on_gpu = true;
  context.routines.push_back(routine);
  unit.thunk().make = [loop, routine, inputs, target = context.options.target](
                          std::span<const Slice> reads, std::span<const Slice> writes, const Slice&) {
    std::vector<Slice> buffers;
    for (const std::size_t input : inputs) buffers.push_back(reads[input]);
    buffers.push_back(writes[0]);
    std::vector<std::int64_t> parameters;
    for (const Size size : loop->parameters) parameters.push_back(size.value());
    GpuKernelCall store(*loop, *static_cast<const GpuKernel*>(routine->address), std::move(buffers),
                        std::move(parameters));
    return std::make_unique<GpuUpdateSliceThunk>(reads[0], writes[0], std::move(store), *target);
  };
}

}  // namespace weft::compiler
