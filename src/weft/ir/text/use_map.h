// A map from values to what is known of them. Programs have thousands of values, each of which is looked up a few times, so it keeps its
// entries in one array, in the order in which they were added, and finds them by open addressing.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include <weft/base/hash.h>
#include <weft/ir/text/syntax.h>

namespace weft::ir::text {

template <class T>
class UseMap {
 public:
  bool empty() const { return entries_.empty(); }

  void reserve(std::size_t count) {
    entries_.reserve(count);
    if (count > few) rehash(count);
  }

  // Adds a value; returns false, and changes nothing, if it is there already.
  bool add(const Use& use, T of) {
    const Key key{use.name, use.index};
    if (find_entry(key)) return false;
    if (entries_.size() + 1 > few && 2 * (entries_.size() + 1) > slots_.size()) rehash(entries_.size() + 1);
    entries_.push_back({key, std::move(of)});
    if (!slots_.empty()) slots_[free_slot(key)] = static_cast<std::uint32_t>(entries_.size());
    return true;
  }

  void set(const Use& use, T of) {
    if (const Entry* known = find_entry({use.name, use.index}))
      entries_[known - entries_.data()].of = std::move(of);
    else
      add(use, std::move(of));
  }

  // Returns nullptr if the value is not there. Adding another one moves what the result points to.
  const T* find(const Use& use) const {
    const Entry* const entry = find_entry({use.name, use.index});
    return entry ? &entry->of : nullptr;
  }
  bool contains(const Use& use) const { return find(use) != nullptr; }

 private:
  struct Key {
    Name name;
    std::uint32_t index;
    friend bool operator==(Key, Key) = default;
  };
  struct Entry {
    Key key;
    T of;
  };
  static constexpr std::size_t few = 8;  // so many entries are searched one after the other

  std::size_t first_slot(Key key) const { return mix(key.name.hash(), key.index) & (slots_.size() - 1); }
  std::size_t next_slot(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

  std::size_t free_slot(Key key) const {
    std::size_t slot = first_slot(key);
    while (slots_[slot] != 0) slot = next_slot(slot);
    return slot;
  }

  const Entry* find_entry(Key key) const {
    if (slots_.empty()) {
      for (const Entry& entry : entries_)
        if (entry.key == key) return &entry;
      return nullptr;
    }
    for (std::size_t slot = first_slot(key); slots_[slot] != 0; slot = next_slot(slot))
      if (const Entry& entry = entries_[slots_[slot] - 1]; entry.key == key) return &entry;
    return nullptr;
  }

  void rehash(std::size_t count) {
    slots_.assign(std::bit_ceil(2 * count), 0);
    for (std::size_t i = 0; i < entries_.size(); ++i)
      slots_[free_slot(entries_[i].key)] = static_cast<std::uint32_t>(i + 1);
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t>
      slots_;  // positions of entries plus 1; 0 is free. Twice as many as entries, or none for a few.
};

}  // namespace weft::ir::text
