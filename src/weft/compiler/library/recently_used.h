// Values that are costly to make, by what they are made for. The least recently used value is dropped first. Thread-safe.
#pragma once

#include <cstddef>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace weft::compiler {

template <class Key, class T>
class RecentlyUsed {
 public:
  explicit RecentlyUsed(std::size_t most) : most_(most) {}

  // Returns the value that is kept for the key, or the std::shared_ptr<const T> that make() returns. If another thread is making the same
  // value, waits for it.
  template <class Make>
  std::shared_ptr<const T> find(const Key& key, Make&& make) {
    const std::shared_ptr<Entry> entry = entry_of(key);
    std::call_once(entry->once, [&] { entry->value = make(); });
    return entry->value;
  }

 private:
  struct Entry {
    std::once_flag once;
    std::shared_ptr<const T> value;
  };
  using Entries = std::list<std::pair<Key, std::shared_ptr<Entry>>>;

  std::shared_ptr<Entry> entry_of(const Key& key) {
    Entries dropped;  // destroyed outside the lock
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = by_key_.try_emplace(key);
    if (!is_new) {
      entries_.splice(entries_.begin(), entries_, at->second);
      return at->second->second;
    }
    entries_.emplace_front(key, std::make_shared<Entry>());
    at->second = entries_.begin();
    if (entries_.size() > most_) {
      by_key_.erase(entries_.back().first);
      dropped.splice(dropped.begin(), entries_, std::prev(entries_.end()));
    }
    return entries_.front().second;
  }

  const std::size_t most_;
  std::mutex mutex_;
  Entries entries_;  // most recently used first
  std::map<Key, typename Entries::iterator> by_key_;
};

}  // namespace weft::compiler
