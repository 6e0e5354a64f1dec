#include <weft/compiler/thunks/kernel_thunk.h>

#include <algorithm>
#include <array>

#include <weft/runtime/parallel.h>
#include <weft/runtime/thread_scratch.h>

namespace weft::compiler {

namespace {

// The addresses of a call's buffers in a launch. Few calls have so many buffers that their addresses need memory of their own.
class Addresses {
 public:
  Addresses(const KernelCall& call, const runtime::Launch& launch) {
    if (call.buffers.size() > few_.size()) many_.resize(call.buffers.size());
    std::byte** next = many_.empty() ? few_.data() : many_.data();
    for (const runtime::Slice& slice : call.buffers) *next++ = launch.at(slice);
  }
  std::byte* const* data() const { return many_.empty() ? few_.data() : many_.data(); }

 private:
  std::array<std::byte*, 32> few_;
  std::vector<std::byte*> many_;
};

void run_tasks(const KernelCall& call, std::byte* const* addresses, std::int64_t begin, std::int64_t end) {
  call.kernel(addresses, call.parameters.data(), begin, end,
              runtime::scratch_of_this_thread(call.extent.scratch_bytes));
}

}  // namespace

KernelCall::KernelCall(const Loop& loop, Kernel its_kernel, std::vector<runtime::Slice> its_buffers,
                       std::vector<std::int64_t> its_parameters)
    : kernel(its_kernel),
      buffers(std::move(its_buffers)),
      parameters(std::move(its_parameters)),
      extent(extent_of(loop, parameters)),
      task_elements(elements_per_task(loop, extent)) {}

void KernelThunk::run(const runtime::Launch& launch) const {
  if (calls_.size() > 1) return run_together(launch);
  const KernelCall& call = calls_[0];
  const Addresses addresses(call, launch);
  std::byte* const* const at = addresses.data();
  runtime::parallel_for(call.extent.tasks, std::max<std::int64_t>(1, worthwhile_elements / call.task_elements),
                        [&](std::int64_t begin, std::int64_t end) { run_tasks(call, at, begin, end); });
}

// Divides the elements of all calls among the threads.
void KernelThunk::run_together(const runtime::Launch& launch) const {
  std::int64_t all = 0;
  for (const KernelCall& call : calls_) all += call.extent.tasks * call.task_elements;
  runtime::parallel_for(all, worthwhile_elements, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t first = 0;  // the number of elements before this call
    for (const KernelCall& call : calls_) {
      const std::int64_t count = call.extent.tasks * call.task_elements;
      // A task belongs to the thread that has its first element.
      const auto task = [&](std::int64_t element) {
        return (std::clamp<std::int64_t>(element - first, 0, count) + call.task_elements - 1) / call.task_elements;
      };
      if (task(begin) < task(end)) {
        run_tasks(call, Addresses(call, launch).data(), task(begin), task(end));
      }
      first += count;
    }
  });
}

}  // namespace weft::compiler
