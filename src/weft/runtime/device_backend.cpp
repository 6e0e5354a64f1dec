#include <weft/runtime/device_backend.h>

#include <weft/runtime/node_pool.h>

namespace weft::runtime {

std::shared_ptr<Event> DeviceBackend::new_event() { return make_pooled<Event>(); }

}  // namespace weft::runtime
