#include <cstring>
#include <map>
#include <tests/runtime/cuda/false_driver/state.h>

// The driver itself, its errors, GPUs and contexts.
extern "C" {

CUresult cuInit(unsigned) { return enter("cuInit", false); }
CUresult cuDriverGetVersion(int* version) {
  *version = state().version;
  return enter("cuDriverGetVersion", false);
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  static const std::map<CUresult, const char*> names = {{invalid_value, "CUDA_ERROR_INVALID_VALUE"},
                                                        {out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                        {no_device, "CUDA_ERROR_NO_DEVICE"},
                                                        {invalid_context, "CUDA_ERROR_INVALID_CONTEXT"},
                                                        {invalid_ptx, "CUDA_ERROR_INVALID_PTX"},
                                                        {not_found, "CUDA_ERROR_NOT_FOUND"},
                                                        {illegal_address, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                        {launch_failed, "CUDA_ERROR_LAUNCH_FAILED"}};
  const auto found = names.find(error);
  *name = found == names.end() ? "CUDA_ERROR" : found->second;
  return success;
}
CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "as the false driver says";
  return success;
}

CUresult cuDeviceGetCount(int* count_) {
  *count_ = 1;
  return enter("cuDeviceGetCount", false);
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  ENTER("cuDeviceGet", false);
  *device = ordinal;
  return ordinal == 0 ? success : invalid_value;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  ENTER("cuDeviceGetName", false);
  std::strncpy(name, "False GPU", length);
  return success;
}
CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
  ENTER("cuDeviceTotalMem", false);
  *bytes = state().memory;
  return success;
}
CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice) {
  ENTER("cuDeviceGetAttribute", false);
  *value = attribute == compute_capability_major ? 9 : attribute == multiprocessor_count ? 4 : 0;
  return success;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  ENTER("cuDevicePrimaryCtxRetain", false);
  *context = &state().context;
  return success;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = current;
  return success;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  current = context;
  return success;
}
CUresult cuCtxSynchronize() { return enter_uncaptured("cuCtxSynchronize"); }

}  // extern "C"
