#include <weft/tensor/session.h>

namespace weft::detail {

Session& Session::current() {
  constinit static thread_local Session session;
  return session;
}

}  // namespace weft::detail
