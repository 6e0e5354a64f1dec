// Host values that a compiled function tracks. A call of a compiled function usually replays what was recorded; plain
// variables that its code read during the recording are not read again. These are tracked:
//   Scalar   a number. As an operand of a tensor operation it is an input of the program and read anew for each
//            launch, so a learning rate may change in every step at no cost. When host code reads it (converted to
//            double), it is a guard.
//   Flag     a switch, always a guard.
// When a guarded value changes, the function is recorded again; it is compiled only if the new recording differs.
//
//   Flag training{true, "training"};  // the name is used by explanations and recompile messages
#pragma once

#include <cstddef>

#include <weft/record/lifetime.h>
#include <weft/tensor/host_observer.h>
#include <weft/tensor/host_state.h>

namespace weft {

template <class T>
class Tracked {
 public:
  Tracked() = default;
  // NOLINT: implicit, can replace a plain T
  Tracked(T value, const char* name = nullptr) : value_(value), name_(name) {}
  Tracked(const Tracked& other) : value_(other.value_), name_(other.name_) {
    if (host_state.observer) [[unlikely]]
      host_state.observer->value_copied(&other, other.lifetime_, this);
  }
  Tracked& operator=(const Tracked& other) { return *this = other.value(); }
  Tracked& operator=(T value) {
    if (host_state.observer) [[unlikely]]
      host_state.observer->value_written(this);
    value_ = value;
    return *this;
  }
  ~Tracked() {
    if (host_state.observer) [[unlikely]]
      host_state.observer->ended(this);
  }

  operator T() const { return value(); }  // NOLINT
  T value() const {
    if (host_state.observer) [[unlikely]]
      host_state.observer->value_read(this, sizeof value_, lifetime_, name_);
    return value_;
  }
  T unobserved() const { return value_; }  // for internal use by weft
  const record::Lifetime& lifetime() const { return lifetime_; }
  // A name for messages, with static storage; null if there is none.
  const char* name() const { return name_; }

 private:
  T value_ = {};  // first member, because guards read it through the address of the object
  const char* name_ = nullptr;
  record::Lifetime lifetime_;
};

class Scalar : public Tracked<double> {
 public:
  using Tracked::Tracked;
  using Tracked::operator=;
};

using Flag = Tracked<bool>;

}  // namespace weft
