// A list of at most Type::max_rank items, one for each dimension of a tensor, stored in place: it needs no heap memory. Items that
// were not added stay uninitialised, because a list is made for each recorded operation and mostly holds two or three.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <type_traits>

#include <weft/base/error.h>
#include <weft/base/type.h>

namespace weft {

template <class T>
class InlineList {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  InlineList() {}  // NOLINT: the items stay uninitialised
  InlineList(std::initializer_list<T> items) : InlineList(std::span<const T>(items.begin(), items.size())) {}
  explicit InlineList(std::span<const T> items) {
    for (const T& item : items) push_back(item);
  }
  InlineList(const InlineList& other) : size_(other.size_) { std::copy(other.begin(), other.end(), begin()); }
  InlineList& operator=(const InlineList& other) {
    if (this == &other) return *this;
    size_ = other.size_;
    std::copy(other.begin(), other.end(), begin());
    return *this;
  }

  // Throws Error if the list is full.
  void push_back(T item) {
    require(size_ < Type::max_rank, "a tensor has at most ", Type::max_rank, " dimensions");
    begin()[size_++] = item;
  }
  void resize(int size, T fill) {
    while (size_ < size) push_back(fill);
    size_ = size;
  }
  void insert(int at, T item) {
    push_back(item);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(int at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return reinterpret_cast<T*>(storage_); }
  T* end() { return begin() + size_; }
  const T* begin() const { return reinterpret_cast<const T*>(storage_); }
  const T* end() const { return begin() + size_; }
  T& operator[](std::integral auto i) { return begin()[i]; }
  const T& operator[](std::integral auto i) const { return begin()[i]; }
  T& back() { return begin()[size_ - 1]; }
  const T& back() const { return begin()[size_ - 1]; }

 protected:
  int size_ = 0;

 private:
  alignas(T) std::byte storage_[sizeof(T) * Type::max_rank];
};

}  // namespace weft
