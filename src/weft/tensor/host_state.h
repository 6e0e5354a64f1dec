// The state of a thread that determines who is told of its parameters, tracked values and generators; see also
// record/session.h.
#pragma once

namespace weft {

class HostObserver;
namespace detail {
class BodyParameters;
}

struct HostState {
  HostObserver* observer = nullptr;                   // null if there is none
  detail::BodyParameters* body_parameters = nullptr;  // of the innermost body that is recorded; null if there is none
};

inline constinit thread_local HostState host_state;  // of this thread

}  // namespace weft
