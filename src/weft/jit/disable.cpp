#include <weft/jit/disable.h>

#include <weft/base/error.h>
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

Outside::Outside(const std::source_location& where) : observer_(leave_graph(where)), eager_(detail::Backend::eager) {}

Outside::~Outside() { detail::observer = observer_; }

void Outside::finish() { launch(); }

}  // namespace weft::jit
