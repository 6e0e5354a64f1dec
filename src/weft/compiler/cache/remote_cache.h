// Entries (entry.h) in a store that many machines share. It only saves time, so it may not cost any: entries are uploaded by a thread of
// its own; what the process waits for the store beyond the time that its entries saved is at most a second in all; and a store that fails
// is told once and not asked again. An entry is loaded only if its signature verifies and is trusted. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include <sys/types.h>

#include <weft/base/status.h>
#include <weft/compiler/cache/object_store.h>
#include <weft/compiler/cache/remote_counts.h>
#include <weft/compiler/cache/signed_entry.h>

namespace weft::compiler {

class RemoteCache {
 public:
  // Returns the cache at WEFT_CACHE_URL; null if none is set or it cannot be used, of which the user has been warned.
  static RemoteCache* from_knobs();

  RemoteCache(std::string url, const ObjectStoreSettings& settings);
  ~RemoteCache() { finish(); }
  RemoteCache(const RemoteCache&) = delete;
  RemoteCache& operator=(const RemoteCache&) = delete;

  const std::string& url() const { return url_; }

  // Returns the entry of this name.
  Result<std::vector<StoredKernel>> read(const std::string& name);
  // Uploads an entry in the background. If too many wait for it already, it is not uploaded.
  void write(SignedEntry entry);
  // Returns whether this process has read or written an entry of this name.
  bool has(const std::string& name) const;

  // Fails if the store does not answer now.
  Status probe();
  RemoteCounts counts() const;
  // Waits for the uploads, as long as the process may wait, and ends them. Called by the destructor.
  void finish();

 private:
  using Nanoseconds = std::chrono::nanoseconds;

  Nanoseconds patience() const;
  void add_waiting(Nanoseconds waited);
  Result<std::vector<StoredKernel>> take(const std::string& name, ObjectAnswer answer);
  void upload_all(const std::stop_token& stop);
  void upload(const SignedEntry& entry, const std::stop_token& stop);
  void succeeded() { failures_in_a_row_ = 0; }
  void failed(const ObjectAnswer& answer, bool is_upload);
  void warn(const std::string& reason, const std::string& remedy);
  void count(RemoteCounts::What what, std::uint64_t by = 1);
  bool is_in_child() const;

  const std::string url_;
  std::unique_ptr<ObjectStore> store_;
  const pid_t process_;
  std::atomic<bool> is_read_ = true, is_written_ = true;  // whether entries are still read and written
  std::atomic<bool> is_warned_ = false;
  std::atomic<int> failures_in_a_row_ = 0;

  mutable std::mutex mutex_;
  RemoteCounts counts_;
  Nanoseconds waited_{0}, saved_{0};
  std::unordered_set<std::string> known_;
  std::deque<SignedEntry> waiting_;  // for their upload
  std::uint64_t waiting_bytes_ = 0;
  bool is_uploading_ = false;
  std::condition_variable_any arrived_, uploaded_;
  std::vector<std::jthread> uploader_;
};

}  // namespace weft::compiler
