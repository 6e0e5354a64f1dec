#include <cstdlib>
#include <cstring>
#include <tests/runtime/cuda/false_driver/state.h>

// Memory of the GPU, pinned memory, and copies.
namespace {

// Passes work on a range of the GPU's memory to a stream; the block may end before the work is done, but should not.
template <class F>
CUresult add_on(CUstream stream, CUdeviceptr address, std::size_t bytes, F&& work) {
  if (!find(address, bytes)) return invalid_value;
  return add(stream, [=] {
    if (std::byte* const here = find(address, bytes)) {
      work(here);
    } else {
      state().dead = illegal_address;
    }
  });
}

}  // namespace

extern "C" {

CUresult cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  ENTER("cuMemGetInfo");
  const std::lock_guard lock(state().mutex);
  *total_bytes = state().memory;
  *free_bytes = state().memory - state().live.bytes;
  return success;
}
CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  ENTER_UNCAPTURED("cuMemAlloc");
  if (bytes == 0) return invalid_value;
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (bytes > s.memory - s.live.bytes) return out_of_memory;
  constexpr std::size_t granule = 512;
  void* const block = std::aligned_alloc(granule, (bytes + granule - 1) / granule * granule);
  std::memset(block, 0xcd, bytes);
  s.blocks[reinterpret_cast<std::uintptr_t>(block)] = bytes;
  ++s.live.blocks;
  s.live.bytes += bytes;
  *address = reinterpret_cast<std::uintptr_t>(block) | false_gpu_bit;
  return success;
}
CUresult cuMemFree_v2(CUdeviceptr address) {
  ENTER_UNCAPTURED("cuMemFree");
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const auto block = s.blocks.find(address & ~false_gpu_bit);
  if (block == s.blocks.end()) return invalid_value;
  --s.live.blocks;
  s.live.bytes -= block->second;
  std::free(reinterpret_cast<void*>(block->first));
  s.blocks.erase(block);
  return success;
}
CUresult cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  ENTER_UNCAPTURED("cuMemHostAlloc");
  constexpr std::size_t page = 4096;
  *address = std::aligned_alloc(page, (bytes + page - 1) / page * page);
  count(&FalseDriver::Live::pinned_blocks, 1);
  return success;
}
CUresult cuMemFreeHost(void* address) {
  ENTER_UNCAPTURED("cuMemFreeHost");
  std::free(address);
  count(&FalseDriver::Live::pinned_blocks, -1);
  return success;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  ENTER("cuMemcpyHtoDAsync");
  return add_on(stream, to, bytes, [=](std::byte* here) { std::memcpy(here, from, bytes); });
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  ENTER("cuMemcpyDtoHAsync");
  return add_on(stream, from, bytes, [=](const std::byte* here) { std::memcpy(to, here, bytes); });
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  ENTER("cuMemcpyDtoDAsync");
  if (!find(from, bytes)) return invalid_value;
  return add_on(stream, to, bytes, [=](std::byte* here) {
    if (const std::byte* const source = find(from, bytes)) {
      std::memcpy(here, source, bytes);
    } else {
      state().dead = illegal_address;
    }
  });
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream) {
  ENTER("cuMemsetD8Async");
  return add_on(stream, to, bytes, [=](std::byte* here) { std::memset(here, value, bytes); });
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t words, CUstream stream) {
  ENTER("cuMemsetD32Async");
  return add_on(stream, to, 4 * words, [=](std::byte* here) {
    for (std::size_t i = 0; i < words; ++i) std::memcpy(here + 4 * i, &value, 4);
  });
}

}  // extern "C"
