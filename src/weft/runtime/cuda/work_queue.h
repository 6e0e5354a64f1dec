// The queue of an NVIDIA GPU, as thunks that work on the GPU find it in Launch::queue.
#pragma once

#include <weft/runtime/thunk.h>

struct CUstream_st;

namespace weft::runtime::cuda {

struct WorkQueue {
  CUstream_st* stream = nullptr;  // the driver's CUstream
  int ordinal = 0;                // the driver's number of the GPU

  // Returns the queue of a launch on a GPU.
  static const WorkQueue& of(const Launch& launch) { return *static_cast<const WorkQueue*>(launch.queue); }
};

}  // namespace weft::runtime::cuda
