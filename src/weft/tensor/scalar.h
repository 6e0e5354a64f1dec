// Values of the host that a compiled function keeps an eye on. A call of a compiled function usually replays what was recorded:
// plain variables that its code read then are not read again. These are:
//   Scalar   a number. Given to an operation on tensors it is an input of the program, read anew for each launch: a learning rate
//            may change in every step at no cost. Read by code of the host (converted to double) it is a guard.
//   Flag     a switch, always a guard.
// When a guarded value changes, the function is recorded again, and compiled only if it then records something new.
//
//   Flag training{true, "training"};  // explanations and recompiles call it by this name
#pragma once

#include <cstddef>

#include <weft/record/lifetime.h>
#include <weft/tensor/host_observer.h>

namespace weft {

template <class T>
class Tracked {
 public:
  Tracked() = default;
  Tracked(T value, const char* name = nullptr) : value_(value), name_(name) {}  // NOLINT: stands where a T stands
  Tracked(const Tracked& other) : value_(other.value_), name_(other.name_) {
    if (host_observer) [[unlikely]]
      host_observer->value_copied(&other, other.lifetime_, this);
  }
  Tracked& operator=(const Tracked& other) { return *this = other.value(); }
  Tracked& operator=(T value) {
    if (host_observer) [[unlikely]]
      host_observer->value_written(this);
    value_ = value;
    return *this;
  }
  ~Tracked() {
    if (host_observer) [[unlikely]]
      host_observer->ended(this);
  }

  operator T() const { return value(); }  // NOLINT
  T value() const {
    if (host_observer) [[unlikely]]
      host_observer->value_read(this, sizeof value_, lifetime_, name_);
    return value_;
  }
  T unobserved() const { return value_; }  // for weft's own layers
  const record::Lifetime& lifetime() const { return lifetime_; }
  // For messages, of static storage; null: it has none.
  const char* name() const { return name_; }

 private:
  T value_ = {};  // first: guards read it through the address of the whole
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
