#include <weft/jit/disable.h>

#include <weft/base/error.h>
#include <weft/tensor/backend.h>
#include <weft/tensor/observer.h>
#include <weft/tensor/recording.h>

namespace weft::jit {

namespace {

// Gradients reach back over it.
void launch() { detail::Recording::current().sync(detail::Recording::Keep::graph); }

detail::Observer* leave_graph(const std::source_location& where) {
  require(
      !detail::Recording::current().is_body(),
      "disable: a function that stays out of graphs was called in the body of a loop or branch, which is part of one");
  if (detail::observer) detail::observer->leaves_graph(where);
  launch();
  return std::exchange(detail::observer, nullptr);
}

}  // namespace

struct Outside::Before {
  explicit Before(const std::source_location& where) : observer(leave_graph(where)) {}
  ~Before() { detail::observer = observer; }
  detail::Observer* observer;
  detail::BackendScope eager{detail::Backend::eager};
};

Outside::Outside(const std::source_location& where) : before_(std::make_unique<const Before>(where)) {}

Outside::~Outside() = default;

void Outside::finish() { launch(); }

}  // namespace weft::jit
