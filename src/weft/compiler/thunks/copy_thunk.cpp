#include <weft/compiler/thunks/copy_thunk.h>

#include <cstring>

#include <weft/runtime/cuda/driver.h>
#include <weft/runtime/cuda/work_queue.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

namespace cuda = runtime::cuda;

namespace {

cuda::CUdeviceptr address(const void* place) { return reinterpret_cast<cuda::CUdeviceptr>(place); }

class CopyThunk final : public runtime::Thunk {
 public:
  CopyThunk(const runtime::Slice& from, const runtime::Slice& to) : from_(from), to_(to) {}
  void run(const runtime::Launch& launch) const override { copy_bytes(launch, from_, to_); }

 private:
  runtime::Slice from_, to_;
};

class GpuCopyThunk final : public runtime::Thunk {
 public:
  GpuCopyThunk(const runtime::Slice& from, const runtime::Slice& to) : from_(from), to_(to) { on_device = true; }
  void run(const runtime::Launch& launch) const override { copy_on_gpu(launch, from_, to_, true); }

 private:
  runtime::Slice from_, to_;
};

}  // namespace

void copy_bytes(const runtime::Launch& launch, const runtime::Slice& from, const runtime::Slice& to) {
  constexpr std::int64_t grain = std::int64_t{1} << 19;  // takes some ten times as long as to wake a thread
  if (from.bytes == 0 || launch.at(from) == launch.at(to)) return;
  runtime::parallel_for(static_cast<std::int64_t>(from.bytes), grain, [&](std::int64_t begin, std::int64_t end) {
    std::memcpy(launch.at(to) + begin, launch.at(from) + begin, end - begin);
  });
}

void copy_on_gpu(const runtime::Launch& launch, const runtime::Slice& from, const runtime::Slice& to, bool is_nvidia) {
  if (from.bytes) copy_on_gpu(launch, launch.at(from), launch.at(to), from.bytes, is_nvidia);
}

void copy_on_gpu(const runtime::Launch& launch, const std::byte* from, std::byte* to, std::uint64_t bytes,
                 bool is_nvidia) {
  if (bytes == 0 || from == to) return;
  if (!is_nvidia) {
    std::memcpy(to, from, bytes);
    return;
  }
  cuda::check(cuda::driver().cuMemcpyDtoDAsync(address(to), address(from), bytes, cuda::WorkQueue::of(launch).stream),
              "cuMemcpyDtoDAsync");
}

void read_bytes_from_gpu(const runtime::Launch& launch, const void* from, void* to, std::size_t bytes, bool is_nvidia) {
  if (!is_nvidia) {
    std::memcpy(to, from, bytes);
    return;
  }
  const auto stream = cuda::WorkQueue::of(launch).stream;
  cuda::check(cuda::driver().cuMemcpyDtoHAsync(to, address(from), bytes, stream), "cuMemcpyDtoHAsync");
  cuda::check(cuda::driver().cuStreamSynchronize(stream), "cuStreamSynchronize");
}

Unit copy_unit(ir::Value value, const Target& target) {
  Unit unit;
  unit.reads = unit.writes = {value};
  unit.order = value.node->id;
  unit.info.name = concat("copy.", value.node->id);
  unit.info.category = "copy";
  unit.thunk().make = [is_on_gpu = target.is_nvidia()](std::span<const runtime::Slice> reads,
                                                       std::span<const runtime::Slice> writes,
                                                       const runtime::Slice&) -> std::unique_ptr<runtime::Thunk> {
    if (is_on_gpu) return std::make_unique<GpuCopyThunk>(reads[0], writes[0]);
    return std::make_unique<CopyThunk>(reads[0], writes[0]);
  };
  return unit;
}

}  // namespace weft::compiler
