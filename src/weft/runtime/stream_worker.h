// A thread that runs the parts of launches on one stream, in the order of the launches.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <weft/base/trace.h>

namespace weft::runtime {

class StreamWorker {
 public:
  explicit StreamWorker(std::string name) : thread_([this, name = std::move(name)] { work(name); }) {}
  ~StreamWorker() {  // runs everything that was added
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    arrived_.notify_one();
    thread_.join();
  }
  StreamWorker(const StreamWorker&) = delete;
  StreamWorker& operator=(const StreamWorker&) = delete;

  void add(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      work_.push_back(std::move(work));
    }
    arrived_.notify_one();
  }

 private:
  void work(const std::string& name) {
    trace::name_thread(name.c_str());
    std::unique_lock lock(mutex_);
    for (;;) {
      arrived_.wait(lock, [this] { return !work_.empty() || is_stopping_; });
      if (work_.empty()) return;
      auto next = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      next();
      next = nullptr;
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::function<void()>> work_;
  bool is_stopping_ = false;
  std::thread thread_;  // last, because it uses the members above
};

}  // namespace weft::runtime
