// The set of Parameters that were created inside the body of a loop, branch or checkpoint while it is recorded. The
// body may write only these; any other Parameter would be left with a value that exists only inside the body.
#pragma once

#include <unordered_set>

#include <weft/tensor/host_state.h>

namespace weft {
class Parameter;
class Tensor;
}  // namespace weft

namespace weft::detail {

class BodyParameters {
 public:
  // Becomes the set of the innermost body of this thread until leave().
  BodyParameters();
  void leave();
  ~BodyParameters() { leave(); }
  BodyParameters(const BodyParameters&) = delete;
  BodyParameters& operator=(const BodyParameters&) = delete;

  void added(const Parameter& parameter) { own_.insert(&parameter); }
  void removed(const Parameter& parameter) { own_.erase(&parameter); }
  bool own(const Parameter& parameter) const { return own_.contains(&parameter); }
  // Throws Error if the parameter was not created inside this body.
  void require_own(const Parameter& parameter, const Tensor& next) const {
    if (!own(parameter)) refuse(parameter, next);
  }

 private:
  [[noreturn]] static void refuse(const Parameter& parameter, const Tensor& next);

  BodyParameters* outer_;
  std::unordered_set<const Parameter*> own_;
};

inline BodyParameters::BodyParameters() : outer_(host_state.body_parameters) { host_state.body_parameters = this; }
inline void BodyParameters::leave() {
  if (host_state.body_parameters == this) host_state.body_parameters = outer_;
}

}  // namespace weft::detail
