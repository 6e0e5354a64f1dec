#include <weft/pjrt/event.h>

#include <weft/pjrt/error.h>

namespace weft::pjrt {

void run(PJRT_Event_Destroy_Args& args) { delete args.event; }

void run(PJRT_Event_IsReady_Args& args) { args.is_ready = args.event->event->ready(); }

void run(PJRT_Event_Error_Args& args) { args.event->event->wait(); }

void run(PJRT_Event_Await_Args& args) { args.event->event->wait(); }

void run(PJRT_Event_OnReady_Args& args) {
  const auto event = args.event->event;
  const auto call = [callback = args.callback, argument = args.user_arg](const std::exception_ptr& error) {
    callback(error_of(error), argument);
  };
  if (event->ready()) return call(event->error());
  event->then([event, call](const std::exception_ptr& error) { call(error); });  // keeps the event alive until then
}

}  // namespace weft::pjrt
