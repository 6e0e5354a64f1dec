#include <weft/compiler/thunks/kernel_thunk.h>

#include <algorithm>

#include <weft/runtime/parallel.h>

namespace weft::compiler {

namespace {

// Elements of work that are worth the hand-over to another thread.
constexpr std::int64_t worthwhile = 16384;

std::int64_t grain_of(const Loop& loop, const LoopExtent& extent) {
  if (loop.walk == Walk::lanes) return worthwhile;
  const std::int64_t per_task =
      loop.walk == Walk::columns ? loop.tiling.block * extent.serial_count : extent.lane_count;
  return std::max<std::int64_t>(1, worthwhile / std::max<std::int64_t>(1, per_task * loop.stages));
}

}  // namespace

KernelThunk::KernelThunk(const Loop& loop, Kernel kernel, std::vector<runtime::Slice> buffers,
                         std::vector<std::int64_t> parameters)
    : kernel_(kernel),
      buffers_(std::move(buffers)),
      parameters_(std::move(parameters)),
      extent_(extent_of(loop, parameters_)),
      grain_(grain_of(loop, extent_)) {}

void KernelThunk::run(const runtime::Launch& launch) const {
  thread_local std::vector<std::byte*> addresses;  // of this run; kernels on other threads only read it
  addresses.clear();
  for (const runtime::Slice& slice : buffers_) addresses.push_back(launch.at(slice));
  std::byte* const* const at = addresses.data();
  runtime::parallel_for(extent_.tasks, grain_, [&](std::int64_t begin, std::int64_t end) {
    thread_local std::vector<std::uint64_t> scratch;
    if (scratch.size() < static_cast<std::size_t>(extent_.scratch_elements))
      scratch.resize(static_cast<std::size_t>(extent_.scratch_elements));
    kernel_(at, parameters_.data(), begin, end, reinterpret_cast<std::byte*>(scratch.data()));
  });
}

}  // namespace weft::compiler
