// A stream of a GPU. Thunks that work on the GPU are passed to it; for all others, the calling thread waits for the GPU and runs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <weft/runtime/cuda/completer.h>
#include <weft/runtime/cuda/driver.h>
#include <weft/runtime/cuda/gpus.h>
#include <weft/runtime/cuda/host_thunks.h>
#include <weft/runtime/cuda/launch_graphs.h>
#include <weft/runtime/cuda/nvtx.h>
#include <weft/runtime/cuda/work_queue.h>
#include <weft/runtime/stream.h>

namespace weft::runtime::cuda {

class GpuStream final : public Stream {
 public:
  struct Options {
    int ordinal = 0;
    bool uses_kernel_threads = false;  // for thunks that work on the host
    std::size_t most_graphs = 0;       // of launches, which are passed in one call
    bool synchronous = false;          // waits for the GPU after each thunk, so that an error names its thunk
  };
  GpuStream(Options options, Failure& failure);
  ~GpuStream() override;  // after drain()

  void begin(const Executable& executable) override;
  void run(const Thunk& thunk, const Launch& launch) override;
  void run_timed(const Thunk& thunk, const Launch& launch, std::size_t index, ThunkTimer& timer) override;
  bool run_all(const std::shared_ptr<const Executable>& executable, const Launch& launch) override;
  void copy(std::byte* to, const std::byte* from, std::uint64_t bytes) override;
  void end(Milestone& milestone) override;
  void drain() override;
  const GpuClock& clock() const { return completer_.clock(); }

 private:
  // The driver's stream.
  struct Handle {
    explicit Handle(int of);
    ~Handle();
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    const int ordinal;
    CUstream stream = nullptr;
  };

  template <class F>
  void pass(F&& work);
  void run_on_host(const Thunk& thunk, const Launch& launch);

  const Options options_;
  Failure& failure_;
  Handle handle_;
  const WorkQueue queue_;
  HostThunks host_thunks_;
  LaunchGraphs graphs_;
  Completer completer_;
  // From begin() to end().
  std::optional<Current> current_;
  std::optional<NvtxRange> range_;
  const Executable* executable_ = nullptr;
  std::vector<GpuClock::Timed> timed_;
  StreamError error_;  // of what was passed to the GPU since begin(); nothing is passed any more
};

}  // namespace weft::runtime::cuda
