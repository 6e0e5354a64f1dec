// A Call marks the call of a public function for its lifetime. The outermost one provides the place of everything recorded
// within it, and its errors name the function and that place.
//
//   const record::Call call("clip_grad_norm_", where);
//   call.require(!parameters.empty(), "there are no parameters");
#pragma once

#include <exception>
#include <source_location>

#include <weft/record/call_error.h>
#include <weft/record/recording.h>

namespace weft::record {

class Call {
 public:
  // `function` must have static storage.
  Call(const char* function, const std::source_location& where)
      : function_(function), recording_(Recording::current()) {
    recording_.begin_call(where);
  }
  ~Call() {
    if (session.observer != nullptr && std::uncaught_exceptions() != 0) [[unlikely]]
      left_by_exception();
    recording_.end_call();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const char* function() const { return function_; }
  Recording& recording() const { return recording_; }
  ir::Graph& graph() const { return recording_.graph(); }

  // Throws Error "FUNCTION: PARTS (PLACE)" if `condition` does not hold.
  template <class... Parts>
  void require(bool condition, const Parts&... parts) const {
    require_call(condition, function_, parts...);
  }

 private:
  void left_by_exception() const;

  const char* function_;
  Recording& recording_;
};

}  // namespace weft::record
