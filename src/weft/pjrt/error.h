// Errors of the plugin interface. Any function of the plugin may throw; what it throws becomes the error that its caller gets.
#pragma once

#include <exception>
#include <pjrt_c_api.h>
#include <string>

namespace weft::pjrt {

// Returns an error that the caller must destroy.
PJRT_Error* make_error(PJRT_Error_Code code, std::string message);

// Returns the error for an exception: INVALID_ARGUMENT for weft::Error, UNIMPLEMENTED for UnsupportedError, RESOURCE_EXHAUSTED for
// std::bad_alloc and INTERNAL for anything else. Returns null for null.
PJRT_Error* error_of(const std::exception_ptr& exception);

void destroy_error(PJRT_Error_Destroy_Args* args);
void error_message(PJRT_Error_Message_Args* args);
void run(PJRT_Error_GetCode_Args& args);
void run(PJRT_Error_ForEachPayload_Args& args);

}  // namespace weft::pjrt
