// A device like an accelerator, simulated by a thread: the host does not see its memory (a host access to a device address is a
// segmentation fault), and the stream does its work later, in order.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <weft/base/process.h>
#include <weft/runtime/cpu/host_memory.h>
#include <weft/runtime/device.h>
#include <weft/runtime/device_backend.h>
#include <weft/runtime/parallel.h>

namespace weft::runtime {

// Addresses with this bit are invalid on the host.
inline constexpr std::uintptr_t remote_bit = std::uintptr_t{1} << 62;

inline std::byte* to_remote(std::byte* here) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(here) | remote_bit);
}
inline std::byte* to_here(std::byte* remote) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(remote) & ~remote_bit);
}
inline const std::byte* to_here(const std::byte* remote) { return to_here(const_cast<std::byte*>(remote)); }

class RemoteSpace final : public MemorySpace {
 public:
  bool is_host_visible() const override { return false; }
  void copy_to_host(std::byte* host, const std::byte* device, std::uint64_t bytes) const override {
    if (bytes != 0) std::memcpy(host, to_here(device), bytes);
  }
  void copy_to_device(std::byte* device, const std::byte* host, std::uint64_t bytes) const override {
    if (bytes != 0) std::memcpy(to_here(device), host, bytes);
  }
  static const RemoteSpace& instance() {
    static const auto* const space = new RemoteSpace;
    return *space;
  }
};

class RemoteStream final : public Stream {
 public:
  RemoteStream() : thread_([this] { work(); }) {}
  ~RemoteStream() override {
    add([this] { stopping_ = true; });
    thread_.join();
  }

  void begin(const Executable& executable) override {
    add([this, &executable] {
      error_ = {};
      if (executable.preparation) executable.preparation->run();
    });
  }
  void run(const Thunk& thunk, const Launch& launch) override {
    add([this, &thunk, launch] {
      if (error_.error) return;
      std::vector<std::byte*> bases(launch.bases.begin(), launch.bases.end());
      for (std::byte*& base : bases) base = to_here(base);
      try {
        adopt_thread_count();
        const Computing computing;
        thunk.run({.bases = bases, .step = launch.step});
      } catch (...) {
        error_ = {&thunk, std::current_exception()};
      }
    });
  }
  void copy(std::byte* to, const std::byte* from, std::uint64_t bytes) override {
    add([to, from, bytes] { std::memcpy(to_here(to), to_here(from), bytes); });
  }
  void end(Milestone& milestone) override {
    add([this, &milestone] { milestone.reached(std::exchange(error_, {})); });
  }
  void drain() override {
    std::mutex mutex;
    std::condition_variable done;
    bool is_done = false;
    add([&] {
      const std::lock_guard lock(mutex);
      is_done = true;
      done.notify_one();
    });
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return is_done; });
  }

 private:
  void add(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    arrived_.notify_one();
  }
  void work() {
    while (!stopping_) {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return !tasks_.empty(); });
      const auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::function<void()>> tasks_;
  StreamError error_;      // used by the stream's thread
  bool stopping_ = false;  // used by the stream's thread
  std::thread thread_;
};

class RemoteBackend final : public DeviceBackend {
 public:
  explicit RemoteBackend(std::uint64_t memory_bytes)
      : allocator_(host_allocator(memory_bytes != 0 ? memory_bytes : available_memory())) {}

  std::string_view kind() const override { return "remote"; }
  const MemorySpace& memory_space() const override { return RemoteSpace::instance(); }
  Memory allocate(std::uint64_t bytes) override {
    const Memory here = allocator_->allocate(bytes);
    return Memory(here, to_remote(here.device_address()));
  }
  void release_cached() override { allocator_->release_cached(); }
  MemoryStats memory_stats() const override { return allocator_->stats(); }
  Stream& stream(StreamKind kind) override { return streams_[static_cast<std::size_t>(kind)]; }
  bool needs_origins() const override { return true; }

 private:
  const std::shared_ptr<Allocator> allocator_;
  std::array<RemoteStream, stream_kinds> streams_;
};

class RemoteDevice : public Device {
 public:
  explicit RemoteDevice(DeviceOptions options = {})
      : Device(std::make_unique<RemoteBackend>(options.memory_bytes), options) {}
};

}  // namespace weft::runtime
