// A first-in, first-out queue that keeps its memory: after it has reached its greatest length, it makes no more heap
// allocations.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace weft::runtime {

template <class T>
class Fifo {
 public:
  explicit Fifo(std::size_t usual_length) { items_.reserve(2 * usual_length); }

  bool empty() const { return first_ == items_.size(); }
  const T& front() const { return items_[first_]; }
  auto begin() const { return items_.begin() + first_; }
  auto end() const { return items_.end(); }

  void push(T item) { items_.push_back(std::move(item)); }
  T pop() {
    T item = std::move(items_[first_++]);
    if (2 * first_ >= items_.size()) {
      items_.erase(items_.begin(), items_.begin() + first_);
      first_ = 0;
    }
    return item;
  }

 private:
  std::vector<T> items_;
  std::size_t first_ = 0;  // index of the front; the items before it have been taken
};

}  // namespace weft::runtime
