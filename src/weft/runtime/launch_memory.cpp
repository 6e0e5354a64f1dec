#include <weft/runtime/launch_memory.h>

#include <algorithm>

#include <weft/base/diagnostics.h>
#include <weft/base/error.h>
#include <weft/base/trace.h>

namespace weft::runtime {

Memory LaunchMemory::allocate_output(const Executable& executable, std::size_t output) {
  const auto& kept = executable.kept_blocks;
  const auto allocate = [&] { return backend_.allocate_output(executable.output_bytes(output)); };
  return kept && !backend_.outputs_are_zeros() ? kept->take(output, allocate) : allocate();
}

bool LaunchMemory::may_take(const LaunchRecord& launch, std::uint32_t input) const {
  return launch.inputs[input].slot->is_only_owner() && !must_stage(launch, input) &&
         (launch.copied.empty() || std::ranges::find(launch.copied, input) == launch.copied.end());
}

Memory LaunchMemory::copy_donated(const LaunchRecord& launch, std::size_t output, const std::byte* input,
                                  Stream& stream) {
  const Executable& executable = *launch.executable;
  const std::uint64_t bytes = executable.output_bytes(output);
  const std::uint64_t start = trace::now_ns();
  Memory copy = backend_.allocate(bytes);
  stream.copy(copy.device_address(), input, bytes);
  for (const SlotsRef& donor : launch.donors) donor->may_keep_memory();
  WEFT_DIAGNOSE(missed_donation, .subject = executable.name,
                .place = executable.thunks.empty() ? "" : executable.thunks.back()->info.source,
                .reason = concat("input ", executable.outputs[output].donated_input, " is still held, so that output ",
                                 output, " got a copy of it"),
                .cost_ms = 1e-6 * (trace::now_ns() - start), .bytes = bytes);
  donation_copies_.fetch_add(1, std::memory_order_relaxed);
  return copy;
}

Memory LaunchMemory::stage(const std::byte* host, std::uint64_t bytes) {
  Memory copy = backend_.allocate(bytes);
  backend_.memory_space().copy_to_device(copy.device_address(), host, bytes);
  return copy;
}

std::byte* LaunchMemory::address_of(const Allocation& constant) {
  if (sees_host_memory_) return const_cast<std::byte*>(constant.constant.get());
  const std::lock_guard lock(mutex_);
  Constant& uploaded = constants_[constant.constant.get()];
  if (uploaded.original.lock() != constant.constant) {
    std::erase_if(constants_, [&](const auto& known) {
      return known.first != constant.constant.get() && known.second.original.expired();
    });
    uploaded = {constant.constant, stage(constant.constant.get(), constant.bytes)};
  }
  return uploaded.copy.device_address();
}

}  // namespace weft::runtime
