#include <weft/compiler/thunks/kernel_thunk.h>

#include <algorithm>

#include <weft/runtime/parallel.h>

namespace weft::compiler {

namespace {

// Elements of work that are worth the hand-over to another thread.
constexpr std::int64_t worthwhile = 16384;

std::int64_t grain_of(const Loop& loop) {
  if (loop.walk == Walk::lanes) return worthwhile;
  std::int64_t per_task = loop.walk == Walk::columns ? column_block : loop.lane_count;
  if (loop.walk == Walk::columns)
    for (int a = loop.rows; a < loop.rows + loop.serial; ++a)
      per_task *= loop.parameters[static_cast<std::size_t>(loop.sizes[static_cast<std::size_t>(a)].parameter)];
  return std::max<std::int64_t>(1, worthwhile / std::max<std::int64_t>(1, per_task * loop.stages));
}

}  // namespace

KernelThunk::KernelThunk(const Loop& loop, Kernel kernel, std::vector<runtime::Slice> buffers)
    : kernel_(kernel),
      buffers_(std::move(buffers)),
      parameters_(loop.parameters),
      tasks_(loop.tasks),
      grain_(grain_of(loop)),
      scratch_elements_(loop.scratch_elements) {}

void KernelThunk::run(const runtime::Launch& launch) const {
  thread_local std::vector<std::byte*> addresses;  // of this run; kernels on other threads only read it
  addresses.clear();
  for (const runtime::Slice& slice : buffers_) addresses.push_back(launch.at(slice));
  std::byte* const* const at = addresses.data();
  runtime::parallel_for(tasks_, grain_, [&](std::int64_t begin, std::int64_t end) {
    thread_local std::vector<std::uint64_t> scratch;
    if (scratch.size() < static_cast<std::size_t>(scratch_elements_))
      scratch.resize(static_cast<std::size_t>(scratch_elements_));
    kernel_(at, parameters_.data(), begin, end, reinterpret_cast<std::byte*>(scratch.data()));
  });
}

}  // namespace weft::compiler
