#include <weft/jit/disable.h>

#include <weft/base/error.h>
#include <weft/record/backend.h>
#include <weft/record/recording.h>
#include <weft/tensor/host_observer.h>
#include <weft/tensor/host_state.h>

namespace weft::jit {

namespace {

// Keeps the graph, so that gradients can go back through it.
void launch() { record::Recording::current().sync(record::Recording::Keep::graph); }

void leave_graph(const std::source_location& where) {
  require(
      !record::Recording::current().is_body(),
      "disable: a function that stays out of graphs was called in the body of a loop or branch, which is part of one");
  if (host_state.observer) host_state.observer->leaves_graph(where);
  launch();
}

}  // namespace

struct Outside::Before {
  explicit Before(const std::source_location& where) {
    leave_graph(where);
    recording = std::exchange(record::session.observer, nullptr);
    host = std::exchange(host_state.observer, nullptr);
  }
  ~Before() {
    record::session.observer = recording;
    host_state.observer = host;
  }
  record::Observer* recording = nullptr;
  HostObserver* host = nullptr;
  record::BackendScope eager{record::Backend::eager};
};

Outside::Outside(const std::source_location& where) : before_(std::make_unique<const Before>(where)) {}

Outside::~Outside() = default;

void Outside::finish() { launch(); }

}  // namespace weft::jit
