// Events of the plugin interface, each of which is an event of the runtime.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <pjrt_c_api.h>
#include <span>

#include <weft/runtime/buffer.h>

struct PJRT_Event {
  std::shared_ptr<weft::runtime::Event> event;
};

namespace weft::pjrt {

// Calls the function with the error of the event, or null: at once if the event has come, and otherwise on the runtime's thread for
// callbacks. Keeps the event alive until then.
void when_come(const std::shared_ptr<runtime::Event>& event,
               std::function<void(const std::exception_ptr& error)> function);
// Returns an event that comes when all of the buffers are there, or with the error of one of them.
std::shared_ptr<runtime::Event> event_of(std::span<const runtime::BufferPtr> buffers);

void run(PJRT_Event_Destroy_Args& args);
void run(PJRT_Event_IsReady_Args& args);
void run(PJRT_Event_Error_Args& args);
void run(PJRT_Event_Await_Args& args);
// Calls back as when_come() does.
void run(PJRT_Event_OnReady_Args& args);

}  // namespace weft::pjrt
