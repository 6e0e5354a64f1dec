// A vector that holds a few items in place and takes memory of the heap only for more. For lists that are short in nearly all cases, and of
// which there are so many that the time for their memory counts.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace weft {

template <class T, std::size_t few>
class ShortList {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  using value_type = T;

  ShortList() {}  // NOLINT: the items in place stay uninitialised
  ShortList(std::initializer_list<T> items) { append(items); }
  ShortList(const ShortList& other) { append(other); }
  ShortList(ShortList&& other) noexcept { take(other); }
  ShortList& operator=(const ShortList& other) {
    if (this != &other) assign(other);
    return *this;
  }
  ShortList& operator=(ShortList&& other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~ShortList() { release(); }

  void reserve(std::size_t capacity) {
    if (capacity > capacity_) grow(capacity);
  }
  void push_back(T item) {
    if (size_ == capacity_) grow(2 * std::size_t{capacity_});
    begin()[size_++] = item;
  }
  // The items must not be of this list.
  void append(std::span<const T> items) {
    reserve(size_ + items.size());
    std::ranges::copy(items, end());
    size_ += static_cast<std::uint32_t>(items.size());
  }
  void assign(std::span<const T> items) {
    clear();
    append(items);
  }
  void insert(T* at, T item) {
    const std::ptrdiff_t position = at - begin();
    push_back(item);
    std::rotate(begin() + position, end() - 1, end());
  }
  void resize(std::size_t size, T fill = {}) {
    reserve(size);
    if (size > size_) std::fill(end(), begin() + size, fill);
    size_ = static_cast<std::uint32_t>(size);
  }
  void clear() { size_ = 0; }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return more_ ? more_ : reinterpret_cast<T*>(in_place_); }
  const T* data() const { return more_ ? more_ : reinterpret_cast<const T*>(in_place_); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::integral auto i) { return begin()[i]; }
  const T& operator[](std::integral auto i) const { return begin()[i]; }
  T& back() { return end()[-1]; }
  const T& back() const { return end()[-1]; }

  friend bool operator==(const ShortList& a, const ShortList& b) { return std::ranges::equal(a, b); }

 private:
  void grow(std::size_t capacity) {
    T* const more = std::allocator<T>().allocate(capacity);
    std::uninitialized_copy(begin(), end(), more);
    release();
    more_ = more;
    capacity_ = static_cast<std::uint32_t>(capacity);
  }
  void release() {
    if (more_) std::allocator<T>().deallocate(more_, capacity_);
    more_ = nullptr;
    capacity_ = few;
  }
  // Moves the items out of the other list, which is empty then; this list has nothing on the heap.
  void take(ShortList& other) {
    size_ = std::exchange(other.size_, 0);
    if (other.more_) {
      more_ = std::exchange(other.more_, nullptr);
      capacity_ = std::exchange(other.capacity_, few);
    } else {
      std::copy_n(other.begin(), size_, begin());
    }
  }

  std::uint32_t size_ = 0, capacity_ = few;
  T* more_ = nullptr;  // the items, if they are not in place
  alignas(T) std::byte in_place_[sizeof(T) * few];
};

}  // namespace weft
