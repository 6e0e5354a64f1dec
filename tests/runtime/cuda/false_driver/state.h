// What the false driver knows, for the files that implement its functions: device.cpp, memory.cpp, streams.cpp, code.cpp, graphs.cpp,
// ranges.cpp, and controls.cpp for what tests call.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tests/runtime/cuda/false_driver.h>
#include <thread>
#include <utility>
#include <vector>

#include <weft/runtime/cuda/driver.h>

using namespace weft::runtime::cuda;  // the library is these files alone

// The functions have the types that weft declares.
extern "C" {
#define DECLARE(name, symbol, arguments) CUresult symbol arguments;
WEFT_CUDA_FUNCTIONS(DECLARE)
#undef DECLARE
}

inline constexpr CUresult invalid_value = 1, no_device = 100, invalid_context = 201, invalid_ptx = 218, not_found = 500,
                          illegal_address = 700, launch_failed = 719, capture_forbids = 900, capture_failed = 901;
using Work = std::function<void()>;
using Graph = std::vector<Work>;

struct CUctx_st {};
struct CUgraph_st : Graph {};
struct CUgraphExec_st : Graph {};
struct CUlinkState_st {
  std::string code;
};
struct CUfunc_st {
  FalseDriver::Kernel kernel = nullptr;
  std::vector<std::size_t> argument_bytes;
};
struct CUmod_st {
  std::string code;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};

// Work is done by the thread of the stream, a while after it was given, or by a thread that waits for it.
struct CUstream_st {
  std::mutex mutex;
  std::condition_variable arrived, finished;
  std::deque<Work> work;
  std::uint64_t given = 0, done = 0;
  bool is_working = false, is_stopping = false;
  std::unique_ptr<CUgraph_st> capture;
  bool has_capture_failed = false;
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
  std::atomic<std::uint64_t> advanced_ns = 0;
  std::atomic<std::size_t> graph_launches = 0;
  std::map<std::string, std::size_t, std::less<>> ranges;  // that have begun, by name
  std::atomic<int> open_ranges = 0;
  CUctx_st context;
  CUstream_st default_stream;
};
State& state();

// Of the calling thread: its context, and the stream of its own that is captured.
extern thread_local CUcontext current;
extern thread_local CUstream captured;

// Returns the error with which a call fails, before it does anything.
CUresult enter(std::string_view function, bool needs_context = true);
// The same for a call that a thread must not make while a stream of its own is captured; it makes the capture fail.
CUresult enter_uncaptured(std::string_view function);

#define ENTER(...) \
  if (const CUresult refused = enter(__VA_ARGS__)) return refused
#define ENTER_UNCAPTURED(function) \
  if (const CUresult refused = enter_uncaptured(function)) return refused

// Returns the host's address of a range of a live block, or null.
std::byte* find(CUdeviceptr address, std::size_t bytes);

inline CUstream_st& of(CUstream stream) { return stream ? *stream : state().default_stream; }
// Passes work to a stream, which does it unless the GPU has failed before.
CUresult add(CUstream stream, Work work);

void count(std::size_t FalseDriver::Live::* what, std::size_t change);
