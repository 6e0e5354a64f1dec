#include <weft/pjrt/event.h>

#include <utility>

#include <weft/pjrt/error.h>

namespace weft::pjrt {

namespace {

using EventPtr = std::shared_ptr<runtime::Event>;

EventPtr both(const EventPtr& first, const EventPtr& second) {
  auto all = std::make_shared<runtime::Event>();
  when_come(first, [all, second](const std::exception_ptr& error) {
    if (error) return all->set_error(error);
    when_come(second, [all](const std::exception_ptr& other) { other ? all->set_error(other) : all->set(); });
  });
  return all;
}

}  // namespace

void when_come(const EventPtr& event, std::function<void(const std::exception_ptr& error)> function) {
  if (event->ready()) return function(event->error());
  event->then([event, function = std::move(function)](const std::exception_ptr& error) { function(error); });
}

// Most launches have one event for all of their outputs.
EventPtr event_of(std::span<const runtime::BufferPtr> buffers) {
  EventPtr last, all;
  for (const auto& buffer : buffers) {
    if (buffer->event() == last) continue;
    last = buffer->event();
    all = all ? both(all, last) : last;
  }
  return all ? all : runtime::Event::already_set();
}

void run(PJRT_Event_Destroy_Args& args) { delete args.event; }

void run(PJRT_Event_IsReady_Args& args) { args.is_ready = args.event->event->ready(); }

void run(PJRT_Event_Error_Args& args) { args.event->event->wait(); }

void run(PJRT_Event_Await_Args& args) { args.event->event->wait(); }

void run(PJRT_Event_OnReady_Args& args) {
  when_come(args.event->event, [callback = args.callback, argument = args.user_arg](const std::exception_ptr& error) {
    callback(error_of(error), argument);
  });
}

}  // namespace weft::pjrt
