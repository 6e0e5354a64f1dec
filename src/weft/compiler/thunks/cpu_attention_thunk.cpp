#include <weft/compiler/thunks/cpu_attention_thunk.h>

#include <algorithm>
#include <array>

#include <weft/base/error.h>
#include <weft/runtime/parallel.h>
#include <weft/runtime/thread_scratch.h>

namespace weft::compiler {

void CpuAttentionThunk::run(const runtime::Launch& launch) const {
  std::array<std::byte*, 9> addresses{};
  WEFT_ASSERT(buffers_.size() <= addresses.size());
  std::ranges::transform(buffers_, addresses.begin(), [&](const runtime::Slice& slice) { return launch.at(slice); });
  constexpr double worthwhile_flops = 2e5;  // of a thread
  const auto grain = static_cast<std::int64_t>(worthwhile_flops / std::max(task_flops_, 1.0));
  runtime::parallel_for(tasks_, std::max<std::int64_t>(1, grain), [&](std::int64_t begin, std::int64_t end) {
    std::byte* const scratch = runtime::scratch_of_this_thread(static_cast<std::size_t>(scratch_bytes_));
    kernel_(addresses.data(), parameters_.data(), begin, end, scratch);
  });
}

}  // namespace weft::compiler
