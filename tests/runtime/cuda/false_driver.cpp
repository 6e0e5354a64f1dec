#include <tests/runtime/cuda/false_driver.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <weft/runtime/cuda/driver.h>

using namespace weft::runtime::cuda;  // the library is this file alone

namespace {
constexpr CUresult invalid_value = 1, no_device = 100, invalid_context = 201, invalid_image = 200, invalid_ptx = 218,
                   invalid_handle = 400, not_found = 500, illegal_address = 700, launch_failed = 719,
                   capture_forbids = 900;
using Work = std::function<void()>;
using Graph = std::vector<Work>;
}  // namespace

struct CUctx_st {};
struct CUgraph_st : Graph {};
struct CUgraphExec_st : Graph {};
struct CUlinkState_st {
  std::string code;
};
struct CUmod_st {
  std::string code;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};
struct CUfunc_st {
  FalseDriver::Kernel kernel = nullptr;
  std::vector<std::size_t> argument_bytes;
};

// Work is done by the thread of the stream, a while after it was given, or by a thread that waits for it.
struct CUstream_st {
  std::mutex mutex;
  std::condition_variable arrived, finished;
  std::deque<Work> work;
  std::uint64_t given = 0, done = 0;
  bool is_working = false, is_stopping = false;
  std::unique_ptr<CUgraph_st> capture;
  std::thread thread{[this] { loop(); }};

  ~CUstream_st() {
    {
      const std::lock_guard lock(mutex);
      is_stopping = true;
    }
    arrived.notify_one();
    thread.join();
  }
  void add(Work what) {
    const std::lock_guard lock(mutex);
    if (capture) {
      capture->push_back(std::move(what));
      return;
    }
    work.push_back(std::move(what));
    if (++given == done + 1) arrived.notify_one();
  }
  bool work_once(std::unique_lock<std::mutex>& lock) {
    if (work.empty() || is_working) return false;
    const Work next = std::move(work.front());
    work.pop_front();
    is_working = true;
    lock.unlock();
    next();
    lock.lock();
    is_working = false;
    ++done;
    finished.notify_all();
    if (!work.empty()) arrived.notify_one();
    return true;
  }
  void await(std::uint64_t point) {
    std::unique_lock lock(mutex);
    while (done < point)
      if (!work_once(lock)) finished.wait(lock);
  }
  void loop() {
    std::unique_lock lock(mutex);
    for (;;) {
      arrived.wait(lock, [this] { return (!work.empty() && !is_working) || is_stopping; });
      if (work.empty()) return;
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      lock.lock();
      while (work_once(lock)) {
      }
    }
  }
};

struct CUevent_st {
  std::mutex mutex;
  CUstream stream = nullptr;  // null: never recorded
  std::uint64_t point = 0;
  std::shared_ptr<std::atomic<std::uint64_t>> came_ns = std::make_shared<std::atomic<std::uint64_t>>(0);
};

namespace {

struct Failing {
  CUresult error = success;
  int calls_before = 0;
};

// Everything that the driver knows. Never destroyed, since its streams may work until the process ends.
struct State {
  std::mutex mutex;
  std::map<std::uintptr_t, std::size_t> blocks;  // of the GPU, by the address of their bytes
  std::map<std::string, CUfunc_st, std::less<>> kernels;
  std::map<std::string, Failing, std::less<>> failing;
  FalseDriver::Live live{};
  std::size_t memory = std::size_t{4} << 30;
  std::atomic<int> version = 12050;
  std::atomic<bool> is_any_failing = false;
  std::atomic<CUresult> dead = success;  // the error after which the GPU refuses everything
  CUctx_st context;
  CUstream_st default_stream;
};
State& state() {
  static auto* const made = new State;
  return *made;
}

thread_local CUcontext current = nullptr;

// Returns the error with which a call fails, before it does anything.
CUresult enter(std::string_view function, bool needs_context = true) {
  State& s = state();
  if (s.is_any_failing) {
    const std::lock_guard lock(s.mutex);
    const auto found = s.failing.find(function);
    if (found != s.failing.end() && found->second.calls_before-- == 0) {
      const CUresult error = found->second.error;
      s.failing.erase(found);
      return error;
    }
  }
  if (needs_context && !current) return invalid_context;
  return s.dead;
}

// The same for calls that a thread must not make while a stream of its own is captured.
#define ENTER(...) \
  if (const CUresult refused = enter(__VA_ARGS__)) return refused

// Returns the host's address of a range of a live block, or null.
std::byte* find(CUdeviceptr address, std::size_t bytes) {
  State& s = state();
  const std::uintptr_t begin = address & ~false_gpu_bit;
  if (begin == address) return nullptr;  // not of the GPU
  const std::lock_guard lock(s.mutex);
  auto block = s.blocks.upper_bound(begin);
  if (block == s.blocks.begin()) return nullptr;
  --block;
  return begin + bytes <= block->first + block->second ? reinterpret_cast<std::byte*>(begin) : nullptr;
}

CUstream_st& of(CUstream stream) { return stream ? *stream : state().default_stream; }

CUresult add(CUstream stream, Work work) {
  of(stream).add([work = std::move(work)] {
    if (state().dead == success) work();
  });
  return success;
}

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

void count(std::size_t FalseDriver::Live::* what, std::size_t change) {
  const std::lock_guard lock(state().mutex);
  state().live.*what += change;
}

std::atomic<std::uint64_t> advanced_ns = 0;

std::uint64_t now_ns() {
  return advanced_ns +
         std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
             .count();
}

bool is_captured(CUstream stream) {
  CUstream_st& s = of(stream);
  const std::lock_guard lock(s.mutex);
  return s.capture != nullptr;
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned) { return enter("cuInit", false); }
CUresult cuDriverGetVersion(int* version) {
  *version = state().version;
  return enter("cuDriverGetVersion", false);
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  static const std::map<CUresult, const char*> names = {{invalid_value, "CUDA_ERROR_INVALID_VALUE"},
                                                        {out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                        {no_device, "CUDA_ERROR_NO_DEVICE"},
                                                        {invalid_context, "CUDA_ERROR_INVALID_CONTEXT"},
                                                        {invalid_ptx, "CUDA_ERROR_INVALID_PTX"},
                                                        {not_found, "CUDA_ERROR_NOT_FOUND"},
                                                        {illegal_address, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                        {launch_failed, "CUDA_ERROR_LAUNCH_FAILED"}};
  const auto found = names.find(error);
  *name = found == names.end() ? "CUDA_ERROR" : found->second;
  return success;
}
CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "as the false driver says";
  return success;
}

CUresult cuDeviceGetCount(int* count_) {
  *count_ = 1;
  return enter("cuDeviceGetCount", false);
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  ENTER("cuDeviceGet", false);
  *device = ordinal;
  return ordinal == 0 ? success : invalid_value;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  ENTER("cuDeviceGetName", false);
  std::strncpy(name, "False GPU", length);
  return success;
}
CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
  ENTER("cuDeviceTotalMem", false);
  *bytes = state().memory;
  return success;
}
CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice) {
  ENTER("cuDeviceGetAttribute", false);
  *value = attribute == compute_capability_major ? 9 : attribute == multiprocessor_count ? 4 : 0;
  return success;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  ENTER("cuDevicePrimaryCtxRetain", false);
  *context = &state().context;
  return success;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = current;
  return success;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  current = context;
  return success;
}
CUresult cuCtxSynchronize() { return enter("cuCtxSynchronize"); }

CUresult cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  ENTER("cuMemGetInfo");
  const std::lock_guard lock(state().mutex);
  *total_bytes = state().memory;
  *free_bytes = state().memory - state().live.bytes;
  return success;
}
CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  ENTER("cuMemAlloc");
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
  ENTER("cuMemFree");
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
  ENTER("cuMemHostAlloc");
  constexpr std::size_t page = 4096;
  *address = std::aligned_alloc(page, (bytes + page - 1) / page * page);
  count(&FalseDriver::Live::pinned_blocks, 1);
  return success;
}
CUresult cuMemFreeHost(void* address) {
  ENTER("cuMemFreeHost");
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

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned, int) {
  ENTER("cuStreamCreateWithPriority");
  *stream = new CUstream_st;
  count(&FalseDriver::Live::streams, 1);
  return success;
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  ENTER("cuStreamDestroy");
  delete stream;
  count(&FalseDriver::Live::streams, -1);
  return success;
}
CUresult cuStreamSynchronize(CUstream stream) {
  ENTER("cuStreamSynchronize");
  if (is_captured(stream)) return capture_forbids;
  CUstream_st& s = of(stream);
  std::uint64_t point = 0;
  {
    const std::lock_guard lock(s.mutex);
    point = s.given;
  }
  s.await(point);
  return state().dead;
}
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr to, unsigned value, unsigned) {
  ENTER("cuStreamWriteValue32");
  if ((to & false_gpu_bit) != 0) return invalid_value;  // only weft's use of it: memory of the host
  return add(stream,
             [=] { std::atomic_ref(*reinterpret_cast<unsigned*>(to)).store(value, std::memory_order_release); });
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  ENTER("cuLaunchHostFunc");
  return add(stream, [=] { function(data); });
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  ENTER("cuEventCreate");
  *event = new CUevent_st;
  count(&FalseDriver::Live::events, 1);
  return success;
}
CUresult cuEventDestroy_v2(CUevent event) {
  ENTER("cuEventDestroy");
  delete event;
  count(&FalseDriver::Live::events, -1);
  return success;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  ENTER("cuEventRecord");
  CUstream_st& s = of(stream);
  const auto came_ns = std::make_shared<std::atomic<std::uint64_t>>(0);
  add(stream, [came_ns] { *came_ns = now_ns(); });
  const std::lock_guard lock(event->mutex), other(s.mutex);
  event->stream = &s;
  event->point = s.given;
  event->came_ns = came_ns;
  return success;
}
CUresult cuEventQuery(CUevent event) {
  ENTER("cuEventQuery");
  const std::lock_guard lock(event->mutex);
  if (!event->stream) return success;
  const std::lock_guard other(event->stream->mutex);
  if (event->stream->capture) return capture_forbids;
  return event->stream->done >= event->point ? state().dead.load() : not_ready;
}
CUresult cuEventSynchronize(CUevent event) {
  ENTER("cuEventSynchronize");
  CUstream stream = nullptr;
  std::uint64_t point = 0;
  {
    const std::lock_guard lock(event->mutex);
    stream = event->stream;
    point = event->point;
  }
  if (stream) stream->await(point);
  return state().dead;
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  ENTER("cuStreamWaitEvent");
  const std::lock_guard lock(event->mutex);
  if (!event->stream) return success;
  return add(stream, [of = event->stream, point = event->point] { of->await(point); });
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  ENTER("cuEventElapsedTime");
  const auto time_of = [](CUevent event) -> std::uint64_t {
    const std::lock_guard lock(event->mutex);
    return *event->came_ns;
  };
  const std::uint64_t from = time_of(begin), to = time_of(end);
  if (from == 0 || to == 0) return not_ready;
  *milliseconds = 1e-6f * static_cast<float>(to - from);
  return success;
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count_, int* options, void** values) {
  ENTER("cuModuleLoadDataEx");
  const auto code = std::make_unique<CUmod_st>();
  code->code = static_cast<const char*>(image);
  if (code->code.starts_with("wrong")) {
    constexpr int error_log_buffer = 5;
    for (unsigned i = 0; i < count_; ++i)
      if (options[i] == error_log_buffer) std::strcpy(static_cast<char*>(values[i]), "line 1: this is no code");
    return invalid_ptx;
  }
  *module = new CUmod_st(std::move(*code));
  count(&FalseDriver::Live::modules, 1);
  return success;
}
CUresult cuModuleUnload(CUmodule module) {
  ENTER("cuModuleUnload");
  delete module;
  count(&FalseDriver::Live::modules, -1);
  return success;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  ENTER("cuModuleGetFunction");
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const auto kernel = s.kernels.find(name);
  if (kernel == s.kernels.end() || module->code.find(name) == std::string::npos) return not_found;
  auto& made = module->functions[name];
  if (!made) made = std::make_unique<CUfunc_st>(kernel->second);
  *function = made.get();
  return success;
}
CUresult cuFuncGetAttribute(int* value, int, CUfunction) {
  ENTER("cuFuncGetAttribute");
  *value = 0;
  return success;
}
CUresult cuFuncSetAttribute(CUfunction, int, int) { return enter("cuFuncSetAttribute"); }
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned, CUstream stream, void** arguments, void**) {
  ENTER("cuLaunchKernel");
  constexpr unsigned most_blocks_y = 65535, most_threads = 1024;
  if (grid_x == 0 || grid_y == 0 || grid_z == 0 || grid_y > most_blocks_y || grid_z > most_blocks_y ||
      block_x * block_y * block_z == 0 || block_x * block_y * block_z > most_threads)
    return invalid_value;
  std::vector<std::vector<std::byte>> values;  // the caller's may change when the call has returned
  for (std::size_t i = 0; i < function->argument_bytes.size(); ++i) {
    const auto* const value = static_cast<const std::byte*>(arguments[i]);
    values.emplace_back(value, value + function->argument_bytes[i]);
  }
  return add(stream, [kernel = function->kernel, values]() mutable {
    std::vector<void*> pointers;
    for (auto& value : values) pointers.push_back(value.data());
    if (const CUresult error = kernel(pointers.data())) state().dead = error;
  });
}

CUresult cuLinkCreate_v2(unsigned, int*, void**, CUlinkState* link) {
  ENTER("cuLinkCreate");
  *link = new CUlinkState_st;
  return success;
}
CUresult cuLinkAddData_v2(CUlinkState link, int, void* data, std::size_t bytes, const char*, unsigned, int*, void**) {
  ENTER("cuLinkAddData");
  link->code.append(static_cast<const char*>(data), bytes);
  return success;
}
CUresult cuLinkComplete(CUlinkState link, void** cubin, std::size_t* bytes) {
  ENTER("cuLinkComplete");
  *cubin = link->code.data();
  *bytes = link->code.size();
  return success;
}
CUresult cuLinkDestroy(CUlinkState link) {
  ENTER("cuLinkDestroy");
  delete link;
  return success;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, int) {
  ENTER("cuStreamBeginCapture");
  if (!stream) return capture_forbids;
  const std::lock_guard lock(stream->mutex);
  if (stream->capture) return capture_forbids;
  stream->capture = std::make_unique<CUgraph_st>();
  return success;
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  ENTER("cuStreamEndCapture");
  const std::lock_guard lock(stream->mutex);
  if (!stream->capture) return invalid_value;
  *graph = stream->capture.release();
  count(&FalseDriver::Live::graphs, 1);
  return success;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* graph, CUgraph of_graph, unsigned long long) {
  ENTER("cuGraphInstantiate");
  *graph = new CUgraphExec_st{*of_graph};
  count(&FalseDriver::Live::graphs, 1);
  return success;
}
CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  ENTER("cuGraphLaunch");
  for (const Work& work : *graph) of(stream).add(work);
  return success;
}
CUresult cuGraphExecDestroy(CUgraphExec graph) {
  ENTER("cuGraphExecDestroy");
  delete graph;
  count(&FalseDriver::Live::graphs, -1);
  return success;
}
CUresult cuGraphDestroy(CUgraph graph) {
  ENTER("cuGraphDestroy");
  delete graph;
  count(&FalseDriver::Live::graphs, -1);
  return success;
}

// What tests call beside the driver's functions.
extern const FalseDriver false_driver;
const FalseDriver false_driver = {
    .add_kernel =
        [](const char* name, FalseDriver::Kernel kernel, const std::size_t* argument_bytes, std::size_t count_) {
          const std::lock_guard lock(state().mutex);
          state().kernels[name] = {.kernel = kernel, .argument_bytes = {argument_bytes, argument_bytes + count_}};
        },
    .fail =
        [](const char* function, int error, int calls_before) {
          const std::lock_guard lock(state().mutex);
          state().failing[function] = {.error = error, .calls_before = calls_before};
          state().is_any_failing = true;
        },
    .reset =
        [] {
          const std::lock_guard lock(state().mutex);
          state().failing.clear();
          state().is_any_failing = false;
          state().dead = success;
        },
    .set_version = [](int version) { state().version = version; },
    .set_memory =
        [](std::size_t bytes) {
          const std::lock_guard lock(state().mutex);
          state().memory = bytes;
        },
    .advance = [](std::uint64_t nanoseconds) { advanced_ns += nanoseconds; },
    .live =
        [] {
          const std::lock_guard lock(state().mutex);
          return state().live;
        },
};

}  // extern "C"

// Every function has the type that weft declares.
#define CHECK_TYPE(name, symbol, arguments) static_assert(std::is_same_v<decltype(&symbol), CUresult(*) arguments>);
WEFT_CUDA_FUNCTIONS(CHECK_TYPE)
