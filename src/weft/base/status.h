// The outcome of work whose failure is no mistake of the user and has a way around it: a cache that has no room, sizes that a program does
// not serve. What the user must be told throws Error instead (error.h).
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <utility>

namespace weft {

// Success, or the reason for a failure.
class [[nodiscard]] Status {
 public:
  Status() = default;  // success
  static Status failed(std::string reason) {
    Status status;
    status.reason_ = std::move(reason);
    return status;
  }

  bool ok() const { return !reason_; }
  explicit operator bool() const { return ok(); }
  std::string reason() const { return reason_.value_or(""); }  // empty on success

 private:
  std::optional<std::string> reason_;
};

// A value, or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  template <std::convertible_to<T> U = T>
  Result(U&& value) : value_(std::forward<U>(value)) {}    // NOLINT(google-explicit-constructor)
  Result(Status failure) : status_(std::move(failure)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status& status() const { return status_; }
  std::string reason() const { return status_.reason(); }  // empty if there is a value

  // The value; there must be one.
  const T& operator*() const& { return *value_; }
  T& operator*() & { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  const T* operator->() const { return &*value_; }
  T* operator->() { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace weft
