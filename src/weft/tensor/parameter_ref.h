// Refers to a Parameter wherever it is moved: a vector of layers that grows and a model that is returned by value take their
// parameters along. Copies of the parameter are other ones. Not thread-safe beyond what the Parameter itself is.
#pragma once

#include <memory>
#include <utility>

namespace weft {
class Parameter;

class ParameterRef {
 public:
  explicit ParameterRef(Parameter& parameter);

  Parameter* get() const { return *place_; }  // nullptr once the parameter has ended

 private:
  std::shared_ptr<Parameter*> place_;
};

namespace detail {

// A member of a Parameter: tells those that refer to it where it is.
class ParameterPlace {
 public:
  ParameterPlace() = default;
  ParameterPlace(const ParameterPlace&) = delete;
  ParameterPlace& operator=(const ParameterPlace&) = delete;
  ~ParameterPlace() {
    if (place_) [[unlikely]]
      *place_ = nullptr;
  }

  // What refers to the other parameter refers to `parameter` from now on.
  void take(ParameterPlace& other, Parameter& parameter) noexcept {
    if (!other.place_) [[likely]]
      return;
    if (place_) *place_ = nullptr;
    place_ = std::move(other.place_);
    *place_ = &parameter;
  }
  const std::shared_ptr<Parameter*>& of(Parameter& parameter) {
    if (!place_) place_ = std::make_shared<Parameter*>(&parameter);
    return place_;
  }

 private:
  std::shared_ptr<Parameter*> place_;  // once somebody refers to it
};

}  // namespace detail
}  // namespace weft
