#include <weft/pjrt/profiler_extension.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include <weft/base/error.h>
#include <weft/base/temporary_folder.h>
#include <weft/pjrt/error.h>
#include <weft/profile/analysis.h>
#include <weft/profile/recorder.h>
#include <weft/profile/recording.h>
#include <weft/profile/xplane.h>
#include <weft/runtime/cpu/cpu_device.h>

namespace weft::pjrt {

namespace {

// One recording, from start to stop. It is written to a folder that is removed again.
class Profiler {
 public:
  void start() {
    bytes_.reset();
    folder_ = std::make_unique<TemporaryFolder>();
    recorder_.emplace(profile::RecorderOptions{.folder = folder_->path(), .command = "jax.profiler"});
  }

  void stop() {
    if (!recorder_) return;
    runtime::cpu().synchronize();
    const Status status = recorder_->stop();
    recorder_.reset();
    require(status.ok(), "the profile is not complete: ", status.reason());
  }

  const std::string& bytes() {
    if (!bytes_) {
      require(!recorder_, "the profile has not been stopped");
      require(folder_ != nullptr, "no profile has been started");
      const profile::Recording recording = profile::read_recording(folder_->path());
      bytes_ = profile::xspace(recording, profile::analyse(recording));
    }
    return *bytes_;
  }

 private:
  std::unique_ptr<TemporaryFolder> folder_;
  std::optional<profile::Recorder> recorder_;
  std::optional<std::string> bytes_;
};

// The layout of what follows is part of the interface (XLA's profiler_c_api.h). An error of the profiler is one of the plugin.
using ProfilerError = PJRT_Error;

struct ErrorDestroyArgs {
  std::size_t struct_size;
  void* priv;
  ProfilerError* error;
};
struct ErrorMessageArgs {
  std::size_t struct_size;
  void* priv;
  const ProfilerError* error;
  const char* message;       // out
  std::size_t message_size;  // out
};
struct ErrorCodeArgs {
  std::size_t struct_size;
  void* priv;
  const ProfilerError* error;
  int code;  // out
};
struct CreateArgs {
  std::size_t struct_size;
  const char* options;
  std::size_t options_size;
  Profiler* profiler;  // out
};
struct ProfilerArgs {  // of destroy, start and stop
  std::size_t struct_size;
  Profiler* profiler;
};
struct CollectArgs {
  std::size_t struct_size;
  Profiler* profiler;
  std::uint8_t* buffer;  // null, and then out: the bytes, which the profiler keeps; otherwise they are copied there
  std::size_t buffer_size_in_bytes;  // out
};

struct ProfilerApi {
  std::size_t struct_size;
  void* priv;
  void (*error_destroy)(ErrorDestroyArgs*);
  void (*error_message)(ErrorMessageArgs*);
  ProfilerError* (*error_get_code)(ErrorCodeArgs*);
  ProfilerError* (*create)(CreateArgs*);
  ProfilerError* (*destroy)(ProfilerArgs*);
  ProfilerError* (*start)(ProfilerArgs*);
  ProfilerError* (*stop)(ProfilerArgs*);
  ProfilerError* (*collect_data)(CollectArgs*);
};

struct Extension {
  PJRT_Extension_Base base;
  ProfilerApi* profiler_api;
  std::int64_t traceme_context_id;
};

template <class Args, void (*run)(Args&)>
ProfilerError* guarded(Args* args) {
  try {
    run(*args);
    return nullptr;
  } catch (...) {
    return error_of(std::current_exception());
  }
}

void destroy_error(ErrorDestroyArgs* args) {
  PJRT_Error_Destroy_Args destroy{
      .struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE, .extension_start = nullptr, .error = args->error};
  pjrt::destroy_error(&destroy);
}

void message_of(ErrorMessageArgs* args) {
  PJRT_Error_Message_Args message{.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE,
                                  .extension_start = nullptr,
                                  .error = args->error,
                                  .message = nullptr,
                                  .message_size = 0};
  error_message(&message);
  args->message = message.message;
  args->message_size = message.message_size;
}

void code_of(ErrorCodeArgs& args) {
  PJRT_Error_GetCode_Args code{.struct_size = PJRT_Error_GetCode_Args_STRUCT_SIZE,
                               .extension_start = nullptr,
                               .error = args.error,
                               .code = PJRT_Error_Code_OK};
  run(code);
  args.code = code.code;
}

void create(CreateArgs& args) { args.profiler = new Profiler; }
void destroy(ProfilerArgs& args) { delete args.profiler; }
void start(ProfilerArgs& args) { args.profiler->start(); }
void stop(ProfilerArgs& args) { args.profiler->stop(); }

void collect(CollectArgs& args) {
  const std::string& bytes = args.profiler->bytes();
  if (args.buffer)
    std::memcpy(args.buffer, bytes.data(), bytes.size());
  else
    args.buffer = reinterpret_cast<std::uint8_t*>(const_cast<char*>(bytes.data()));  // the interface forgot const
  args.buffer_size_in_bytes = bytes.size();
}

}  // namespace

PJRT_Extension_Base* profiler_extension(PJRT_Extension_Base* next) {
  static ProfilerApi functions = {.struct_size = sizeof(ProfilerApi),
                                  .priv = nullptr,
                                  .error_destroy = &destroy_error,
                                  .error_message = &message_of,
                                  .error_get_code = &guarded<ErrorCodeArgs, code_of>,
                                  .create = &guarded<CreateArgs, create>,
                                  .destroy = &guarded<ProfilerArgs, destroy>,
                                  .start = &guarded<ProfilerArgs, start>,
                                  .stop = &guarded<ProfilerArgs, stop>,
                                  .collect_data = &guarded<CollectArgs, collect>};
  static Extension extension = {.base = {sizeof(Extension), PJRT_Extension_Type_Profiler, next},
                                .profiler_api = &functions,
                                .traceme_context_id = 0};
  return &extension.base;
}

}  // namespace weft::pjrt
