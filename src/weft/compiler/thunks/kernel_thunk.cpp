#include <weft/compiler/thunks/kernel_thunk.h>

#include <algorithm>

#include <weft/runtime/parallel.h>
#include <weft/runtime/thread_scratch.h>

namespace weft::compiler {

namespace {

using Addresses = std::vector<std::byte*>;

Addresses& addresses_of_this_thread() {
  thread_local Addresses addresses;  // launches run on many threads, and keep it between calls
  return addresses;
}

void set_addresses(const KernelCall& call, const runtime::Launch& launch, Addresses& addresses) {
  addresses.clear();
  for (const runtime::Slice& slice : call.buffers) addresses.push_back(launch.at(slice));
}

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
  Addresses& addresses = addresses_of_this_thread();  // kernels on other threads only read it
  const KernelCall& call = calls_[0];
  set_addresses(call, launch, addresses);
  std::byte* const* const at = addresses.data();
  runtime::parallel_for(call.extent.tasks, std::max<std::int64_t>(1, worthwhile_elements / call.task_elements),
                        [&](std::int64_t begin, std::int64_t end) { run_tasks(call, at, begin, end); });
}

// Divides the elements of all calls among the threads.
void KernelThunk::run_together(const runtime::Launch& launch) const {
  std::int64_t all = 0;
  for (const KernelCall& call : calls_) all += call.extent.tasks * call.task_elements;
  runtime::parallel_for(all, worthwhile_elements, [&](std::int64_t begin, std::int64_t end) {
    Addresses& addresses = addresses_of_this_thread();
    std::int64_t first = 0;  // the number of elements before this call
    for (const KernelCall& call : calls_) {
      const std::int64_t count = call.extent.tasks * call.task_elements;
      // A task belongs to the thread that has its first element.
      const auto task = [&](std::int64_t element) {
        return (std::clamp<std::int64_t>(element - first, 0, count) + call.task_elements - 1) / call.task_elements;
      };
      if (task(begin) < task(end)) {
        set_addresses(call, launch, addresses);
        run_tasks(call, addresses.data(), task(begin), task(end));
      }
      first += count;
    }
  });
}

}  // namespace weft::compiler
