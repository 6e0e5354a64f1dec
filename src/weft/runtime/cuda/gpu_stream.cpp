#include <weft/runtime/cuda/gpu_stream.h>

#include <utility>

#include <weft/runtime/parallel.h>

namespace weft::runtime::cuda {

GpuStream::Handle::Handle(int of) : ordinal(of) {
  const Current current(of);
  check(driver().cuStreamCreateWithPriority(&stream, non_blocking_stream, 0), "cuStreamCreateWithPriority");
}

GpuStream::Handle::~Handle() {
  release_on(ordinal, [&](const Driver& driver) { driver.cuStreamDestroy(stream); });
}

GpuStream::GpuStream(Options options, Failure& failure)
    : options_(options),
      failure_(failure),
      handle_(options.ordinal),
      queue_{.stream = handle_.stream, .ordinal = options.ordinal},
      host_thunks_(options.ordinal, handle_.stream),
      graphs_(options.ordinal, handle_.stream, options.synchronous ? 0 : options.most_graphs),
      completer_(options.ordinal, handle_.stream, failure) {}

GpuStream::~GpuStream() = default;

void GpuStream::begin(const Executable& executable) {
  executable_ = &executable;
  current_.emplace(options_.ordinal);
  range_.emplace(executable.name);
  if (options_.uses_kernel_threads) adopt_thread_count();
  if (executable.preparation) executable.preparation->run();
}

// Calls `work`, which passes something to the stream, unless what was passed before has failed.
template <class F>
void GpuStream::pass(F&& work) {
  if (error_.error) return;
  try {
    work();
  } catch (const DriverError& error) {
    if (!error.is_fatal()) throw;
    if (options_.synchronous) std::rethrow_exception(failure_.of_current_exception());
    // It is the error of an earlier thunk, or of an earlier launch, which must be the first to learn of it.
    completer_.drain();
    error_.error = failure_.of_current_exception();
  }
}

void GpuStream::run(const Thunk& thunk, const Launch& launch) {
  pass([&] {
    const NvtxRange range(thunk.info.name);
    if (thunk.on_device) {
      Launch on_gpu = launch;
      on_gpu.queue = &queue_;
      thunk.run(on_gpu);
    } else {
      run_on_host(thunk, launch);
    }
    if (options_.synchronous) check(driver().cuStreamSynchronize(handle_.stream), "the GPU");
  });
}

void GpuStream::run_timed(const Thunk& thunk, const Launch& launch, std::size_t index, ThunkTimer& timer) {
  if (!thunk.on_device) {
    // The time that the GPU still needs for earlier thunks is not this one's.
    pass([&] { check(driver().cuStreamSynchronize(handle_.stream), "cuStreamSynchronize"); });
    Stream::run_timed(thunk, launch, index, timer);
    return;
  }
  pass([&] {
    timed_.push_back({.begin = completer_.clock().mark(handle_.stream), .thunk = index, .timer = &timer});
    run(thunk, launch);
    timed_.back().end = completer_.clock().mark(handle_.stream);
  });
}

bool GpuStream::run_all(const std::shared_ptr<const Executable>& executable, const Launch& launch) {
  if (error_.error) return false;
  bool has_run = false;
  pass([&] {
    Launch on_gpu = launch;
    on_gpu.queue = &queue_;
    has_run = graphs_.launch(executable, on_gpu);
  });
  return has_run;
}

void GpuStream::run_on_host(const Thunk& thunk, const Launch& launch) {
  host_thunks_.run(*executable_, thunk, launch, [&](const Launch& on_host) {
    if (options_.uses_kernel_threads) {
      const Computing computing;
      thunk.run(on_host);
    } else {
      const Serially alone;
      thunk.run(on_host);
    }
  });
}

void GpuStream::copy(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  if (bytes == 0) return;
  const Current current(options_.ordinal);
  try {
    check(driver().cuMemcpyDtoDAsync(as_address(to), as_address(from), bytes, handle_.stream), "cuMemcpyDtoDAsync");
  } catch (const DriverError& error) {
    if (!error.is_fatal()) throw;
    throw Failure::of_earlier_launch(error.what());
  }
}

void GpuStream::end(Milestone& milestone) {
  if (!current_) current_.emplace(options_.ordinal);
  completer_.add(milestone, std::exchange(error_, {}), std::exchange(timed_, {}));
  range_.reset();
  current_.reset();
  executable_ = nullptr;
}

void GpuStream::drain() {
  completer_.drain();
  const Current current(options_.ordinal);
  driver().cuStreamSynchronize(handle_.stream);  // an error belongs to a launch, which has learnt of it
}

}  // namespace weft::runtime::cuda
