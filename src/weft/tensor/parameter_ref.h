// A ParameterRef refers to a Parameter and follows it when it is moved, for example when a vector of layers grows or a
// model is returned by value. It does not refer to copies of the parameter. It is as thread-safe as the Parameter
// itself.
#pragma once

#include <memory>
#include <utility>

namespace weft {
class Parameter;

class ParameterRef {
 public:
  explicit ParameterRef(Parameter& parameter);

  Parameter* get() const { return *place_; }  // nullptr once the parameter is destroyed

 private:
  std::shared_ptr<Parameter*> place_;
};

namespace detail {

// A member of a Parameter that tells its ParameterRefs where the parameter is.
class ParameterPlace {
 public:
  ParameterPlace() = default;
  ParameterPlace(const ParameterPlace&) = delete;
  ParameterPlace& operator=(const ParameterPlace&) = delete;
  ~ParameterPlace() {
    if (place_) [[unlikely]]
      *place_ = nullptr;
  }

  // Redirects the references to the parameter of `other` to `parameter`.
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
  std::shared_ptr<Parameter*> place_;  // null until the first reference is made
};

}  // namespace detail
}  // namespace weft
