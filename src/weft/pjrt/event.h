// Events of the plugin interface, each of which is an event of the runtime.
#pragma once

#include <memory>
#include <pjrt_c_api.h>

#include <weft/runtime/event.h>

struct PJRT_Event {
  std::shared_ptr<weft::runtime::Event> event;
};

namespace weft::pjrt {

void run(PJRT_Event_Destroy_Args& args);
void run(PJRT_Event_IsReady_Args& args);
void run(PJRT_Event_Error_Args& args);
void run(PJRT_Event_Await_Args& args);
// The callback runs at once if the event has come, and otherwise on the runtime's thread for callbacks.
void run(PJRT_Event_OnReady_Args& args);

}  // namespace weft::pjrt
