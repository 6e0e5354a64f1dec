// The NVIDIA driver, loaded when a process first asks for a GPU. Weft needs neither NVIDIA's headers nor its toolkit: the functions that
// it calls are declared here, under the names and with the types of NVIDIA's documentation. Thread-safe.
//   check(driver().cuMemAlloc(&address, bytes), "cuMemAlloc");
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <weft/base/error.h>
#include <weft/base/status.h>

struct CUctx_st;
struct CUevent_st;
struct CUfunc_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUlinkState_st;
struct CUmod_st;
struct CUstream_st;

namespace weft::runtime::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = CUctx_st*;
using CUevent = CUevent_st*;
using CUfunction = CUfunc_st*;
using CUgraph = CUgraph_st*;
using CUgraphExec = CUgraphExec_st*;
using CUlinkState = CUlinkState_st*;
using CUmodule = CUmod_st*;
using CUstream = CUstream_st*;
using CUhostFn = void (*)(void* data);

// FUNCTION(name, symbol in the library, arguments)
#define WEFT_CUDA_FUNCTIONS(FUNCTION)                                                                                  \
  FUNCTION(cuInit, cuInit, (unsigned flags))                                                                           \
  FUNCTION(cuDriverGetVersion, cuDriverGetVersion, (int* version))                                                     \
  FUNCTION(cuGetErrorName, cuGetErrorName, (CUresult error, const char** name))                                        \
  FUNCTION(cuGetErrorString, cuGetErrorString, (CUresult error, const char** text))                                    \
  FUNCTION(cuDeviceGetCount, cuDeviceGetCount, (int* count))                                                           \
  FUNCTION(cuDeviceGet, cuDeviceGet, (CUdevice * device, int ordinal))                                                 \
  FUNCTION(cuDeviceGetName, cuDeviceGetName, (char* name, int length, CUdevice device))                                \
  FUNCTION(cuDeviceTotalMem, cuDeviceTotalMem_v2, (std::size_t* bytes, CUdevice device))                               \
  FUNCTION(cuDeviceGetAttribute, cuDeviceGetAttribute, (int* value, int attribute, CUdevice device))                   \
  FUNCTION(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                 \
  FUNCTION(cuCtxGetCurrent, cuCtxGetCurrent, (CUcontext * context))                                                    \
  FUNCTION(cuCtxSetCurrent, cuCtxSetCurrent, (CUcontext context))                                                      \
  FUNCTION(cuCtxSynchronize, cuCtxSynchronize, ())                                                                     \
  FUNCTION(cuMemGetInfo, cuMemGetInfo_v2, (std::size_t* free_bytes, std::size_t* total_bytes))                         \
  FUNCTION(cuMemAlloc, cuMemAlloc_v2, (CUdeviceptr * address, std::size_t bytes))                                      \
  FUNCTION(cuMemFree, cuMemFree_v2, (CUdeviceptr address))                                                             \
  FUNCTION(cuMemHostAlloc, cuMemHostAlloc, (void** address, std::size_t bytes, unsigned flags))                        \
  FUNCTION(cuMemFreeHost, cuMemFreeHost, (void* address))                                                              \
  FUNCTION(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                                                    \
           (CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream))                                     \
  FUNCTION(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void* to, CUdeviceptr from, std::size_t bytes, CUstream stream))  \
  FUNCTION(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                                                    \
           (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream))                                     \
  FUNCTION(cuMemsetD8Async, cuMemsetD8Async,                                                                           \
           (CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream))                                  \
  FUNCTION(cuMemsetD32Async, cuMemsetD32Async, (CUdeviceptr to, unsigned value, std::size_t count, CUstream stream))   \
  FUNCTION(cuStreamCreateWithPriority, cuStreamCreateWithPriority, (CUstream * stream, unsigned flags, int priority))  \
  FUNCTION(cuStreamDestroy, cuStreamDestroy_v2, (CUstream stream))                                                     \
  FUNCTION(cuStreamSynchronize, cuStreamSynchronize, (CUstream stream))                                                \
  FUNCTION(cuStreamWaitEvent, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))                     \
  FUNCTION(cuStreamWriteValue32, cuStreamWriteValue32_v2,                                                              \
           (CUstream stream, CUdeviceptr to, unsigned value, unsigned flags))                                          \
  FUNCTION(cuLaunchHostFunc, cuLaunchHostFunc, (CUstream stream, CUhostFn function, void* data))                       \
  FUNCTION(cuEventCreate, cuEventCreate, (CUevent * event, unsigned flags))                                            \
  FUNCTION(cuEventDestroy, cuEventDestroy_v2, (CUevent event))                                                         \
  FUNCTION(cuEventRecord, cuEventRecord, (CUevent event, CUstream stream))                                             \
  FUNCTION(cuEventQuery, cuEventQuery, (CUevent event))                                                                \
  FUNCTION(cuEventSynchronize, cuEventSynchronize, (CUevent event))                                                    \
  FUNCTION(cuEventElapsedTime, cuEventElapsedTime, (float* milliseconds, CUevent begin, CUevent end))                  \
  FUNCTION(cuModuleLoadDataEx, cuModuleLoadDataEx,                                                                     \
           (CUmodule * module, const void* image, unsigned count, int* options, void** values))                        \
  FUNCTION(cuModuleUnload, cuModuleUnload, (CUmodule module))                                                          \
  FUNCTION(cuModuleGetFunction, cuModuleGetFunction, (CUfunction * function, CUmodule module, const char* name))       \
  FUNCTION(cuFuncGetAttribute, cuFuncGetAttribute, (int* value, int attribute, CUfunction function))                   \
  FUNCTION(cuFuncSetAttribute, cuFuncSetAttribute, (CUfunction function, int attribute, int value))                    \
  FUNCTION(                                                                                                            \
      cuLaunchKernel, cuLaunchKernel,                                                                                  \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,     \
       unsigned block_z, unsigned shared_bytes, CUstream stream, void** arguments, void** extra))                      \
  FUNCTION(cuLinkCreate, cuLinkCreate_v2, (unsigned count, int* options, void** values, CUlinkState* link))            \
  FUNCTION(cuLinkAddData, cuLinkAddData_v2,                                                                            \
           (CUlinkState link, int type, void* data, std::size_t bytes, const char* name, unsigned count, int* options, \
            void** values))                                                                                            \
  FUNCTION(cuLinkComplete, cuLinkComplete, (CUlinkState link, void** cubin, std::size_t* bytes))                       \
  FUNCTION(cuLinkDestroy, cuLinkDestroy, (CUlinkState link))                                                           \
  FUNCTION(cuStreamBeginCapture, cuStreamBeginCapture_v2, (CUstream stream, int mode))                                 \
  FUNCTION(cuStreamEndCapture, cuStreamEndCapture, (CUstream stream, CUgraph * graph))                                 \
  FUNCTION(cuGraphInstantiate, cuGraphInstantiateWithFlags,                                                            \
           (CUgraphExec * graph, CUgraph of, unsigned long long flags))                                                \
  FUNCTION(cuGraphLaunch, cuGraphLaunch, (CUgraphExec graph, CUstream stream))                                         \
  FUNCTION(cuGraphExecDestroy, cuGraphExecDestroy, (CUgraphExec graph))                                                \
  FUNCTION(cuGraphDestroy, cuGraphDestroy, (CUgraph graph))

struct Driver {
#define WEFT_DECLARE_FUNCTION(name, symbol, arguments) CUresult(*name) arguments = nullptr;
  WEFT_CUDA_FUNCTIONS(WEFT_DECLARE_FUNCTION)
#undef WEFT_DECLARE_FUNCTION
  int version = 0;  // of CUDA that the driver supports: 12050 is CUDA 12.5, which reads PTX up to 8.5
};

// Loads a driver from a library and initialises it, or tells in one sentence why it cannot be used. The library stays loaded.
Result<const Driver*> load_driver(const std::string& library);

// The driver that the knob WEFT_CUDA_DRIVER names, loaded at the first call; the later calls return the same.
const Result<const Driver*>& find_driver();
// The same; throws Error with the reason if there is none.
const Driver& driver();

// An error of the driver.
class DriverError : public Error {
 public:
  DriverError(const std::string& message, bool is_fatal) : Error(message), is_fatal_(is_fatal) {}
  // Returns whether the GPU refuses all work of this process from now on.
  bool is_fatal() const { return is_fatal_; }

 private:
  bool is_fatal_;
};

// Throws DriverError unless `result` is success: names `call`, which returned it, the driver's name and text of the error, and a remedy.
void check(CUresult result, std::string_view call);

// Returns "12.5" for 12050.
std::string version_text(int version);

// Returns whether the driver may have shut down because the process ends: what belongs to it is left alone from then on.
bool process_ends();

// Values of the driver's enumerations.
inline constexpr CUresult success = 0, out_of_memory = 2, not_ready = 600;
inline constexpr int compute_capability_major = 75, compute_capability_minor = 76,
                     multiprocessor_count = 16;  // attributes of a device
inline constexpr unsigned non_blocking_stream = 1, blocking_event = 1, event_without_time = 2;

}  // namespace weft::runtime::cuda
