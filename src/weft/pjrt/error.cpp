#include <weft/pjrt/error.h>

#include <new>

#include <weft/base/error.h>

namespace weft::pjrt {

namespace {

struct OwnError : PJRT_Error {
  PJRT_Error_Code code;
  std::string message;
};

const OwnError& own(const PJRT_Error* error) { return *static_cast<const OwnError*>(error); }

void destroy(PJRT_Error* error) { delete static_cast<OwnError*>(error); }

constexpr PJRT_Error_FunctionTable functions = {
    .struct_size = PJRT_Error_FunctionTable_STRUCT_SIZE,
    .instance_size = sizeof(OwnError),
    .extension_start = nullptr,
    .destroy = destroy,
    .message =
        [](const PJRT_Error* error, const char** message, size_t* size) {
          *message = own(error).message.data();
          *size = own(error).message.size();
        },
    .get_code = [](const PJRT_Error* error) { return own(error).code; },
    .for_each_payload = [](const PJRT_Error*, PJRT_Error_PayloadVisitor, void*) {},
};

}  // namespace

PJRT_Error* make_error(PJRT_Error_Code code, std::string message) {
  return new OwnError{{&functions}, code, std::move(message)};
}

PJRT_Error* error_of(const std::exception_ptr& exception) {
  if (!exception) return nullptr;
  try {
    std::rethrow_exception(exception);
  } catch (const UnsupportedError& wrong) {
    return make_error(PJRT_Error_Code_UNIMPLEMENTED, wrong.what());
  } catch (const Error& wrong) {
    return make_error(PJRT_Error_Code_INVALID_ARGUMENT, wrong.what());
  } catch (const std::bad_alloc&) {
    return make_error(PJRT_Error_Code_RESOURCE_EXHAUSTED, "there is not enough memory");
  } catch (const std::exception& wrong) {
    return make_error(PJRT_Error_Code_INTERNAL, wrong.what());
  } catch (...) {
    return make_error(PJRT_Error_Code_INTERNAL, "an exception of unknown type");
  }
}

void destroy_error(PJRT_Error_Destroy_Args* args) { destroy(args->error); }

void error_message(PJRT_Error_Message_Args* args) {
  functions.message(args->error, &args->message, &args->message_size);
}

void run(PJRT_Error_GetCode_Args& args) { args.code = own(args.error).code; }

void run(PJRT_Error_ForEachPayload_Args&) {}  // there are none

}  // namespace weft::pjrt
