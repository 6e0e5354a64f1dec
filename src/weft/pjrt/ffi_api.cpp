#include <weft/pjrt/ffi_api.h>

#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <weft/base/error.h>

namespace weft::pjrt::ffi {

struct Error {
  // Some functions of jaxlib, such as the property `stream` of a buffer callback's context, take the error for XLA's own, which is one
  // absl::Status. This number is such a status, without its message.
  std::uintptr_t status;
  std::string message;
};

// Is shared with who waits, because the one who ends it may still be in end() when the other goes on.
struct Future {
  class State {
   public:
    void end(std::string error) {
      const std::lock_guard lock(mutex_);
      error_ = std::move(error);
      ended_.notify_all();
    }
    std::string wait() {
      std::unique_lock lock(mutex_);
      ended_.wait(lock, [&] { return error_.has_value(); });
      return *error_;
    }

   private:
    std::mutex mutex_;
    std::condition_variable ended_;
    std::optional<std::string> error_;  // empty: none
  };
  std::shared_ptr<State> state = std::make_shared<State>();
};

namespace {

Error* error(ErrorCode code, std::string message) {
  const auto status = static_cast<std::uintptr_t>(code) << 2 | 1;  // absl::Status of a code alone
  return new Error{status, std::move(message)};
}

Error* unsupported(Unused*) {
  return error(ErrorCode::unimplemented, "weft's foreign functions have no state and no streams, and register nothing");
}

Error* allocate(MemoryAllocate* args) {
  const std::size_t alignment = args->alignment > sizeof(void*) ? args->alignment : sizeof(void*);
  const std::size_t size = (args->size + alignment - 1) / alignment * alignment;
  args->data = std::aligned_alloc(alignment, size);
  return args->data || size == 0 ? nullptr : error(ErrorCode::unknown, concat("no memory for ", size, " bytes"));
}

constexpr Api functions = {
    .head = {sizeof(Api)},
    .version = {{sizeof(ApiVersion)}, api_major, api_minor},
    .error_create = [](ErrorCreate* args) { return error(args->code, args->message); },
    .error_get_message = [](ErrorGetMessage* args) { args->message = args->error->message.c_str(); },
    .error_destroy = [](ErrorDestroy* args) { delete args->error; },
    .handler_register = unsupported,
    .stream_get = unsupported,
    .type_register = unsupported,
    .context_get = [](ContextGet* args) -> Error* {
      const UserData* const data = args->context->data;
      void* const* const found = data ? data->find(args->type->id) : nullptr;
      if (!found)
        return error(ErrorCode::invalid_argument,
                     concat("the caller attached no data of the type ", args->type->id, " to the launch"));
      args->data = *found;
      return nullptr;
    },
    .state_set = unsupported,
    .state_get = unsupported,
    .memory_allocate = allocate,
    .memory_free = [](MemoryFree* args) -> Error* {
      std::free(args->data);
      return nullptr;
    },
    .pool_schedule = [](PoolSchedule* args) -> Error* {
      args->task(args->data);
      return nullptr;
    },
    .pool_size = [](PoolSize* args) -> Error* {
      *args->threads = 1;
      return nullptr;
    },
    .future_create = [](FutureCreate* args) -> Error* {
      args->future = new Future;
      return nullptr;
    },
    .future_set_available = [](FutureSetAvailable* args) -> Error* {
      const auto state = args->future->state;
      state->end("");
      return nullptr;
    },
    .future_set_error = [](FutureSetError* args) -> Error* {
      const auto state = args->future->state;
      std::string message = take_message(args->error);
      state->end(message.empty() ? "unknown error" : std::move(message));
      return nullptr;
    },
    .run_id = [](RunId* args) -> Error* {
      args->id = 0;
      return nullptr;
    },
    .device_ordinal = [](DeviceOrdinal* args) -> Error* {
      args->ordinal = 0;
      return nullptr;
    },
};

}  // namespace

UserData::~UserData() {
  for (const auto& [type, entry] : entries_)
    if (entry.deleter) entry.deleter(entry.data);
}

void UserData::add(std::int64_t type, void* data, Deleter* deleter) {
  const bool is_new = entries_.emplace(type, Entry{data, deleter}).second;
  require(is_new, "data of the type ", type, " is already attached");
}

void* const* UserData::find(std::int64_t type) const {
  const auto found = type == any_type && entries_.size() == 1 ? entries_.begin() : entries_.find(type);
  return found == entries_.end() ? nullptr : &found->second.data;
}

const Api& api() { return functions; }

std::string wait(Future* future) {
  const std::unique_ptr<Future> taken(future);
  return taken->state->wait();
}

std::string take_message(Error* error) {
  const std::unique_ptr<Error> taken(error);
  return std::move(taken->message);
}

}  // namespace weft::pjrt::ffi
