// Ranges by which NVIDIA's tools, such as Nsight Systems, tell what work is passed to the GPU for. They are NVTX's, of which a program needs no
// library: a tool that starts the program names a library of its own in NVTX_INJECTION64_PATH, and asks for a table of functions to fill in.
#pragma once

#include <string>

namespace weft::runtime::cuda {

// What a tool does at the begin and at the end of a range; null if there is no tool.
struct NvtxTool {
  int (*push)(const char* name) = nullptr;
  int (*pop)() = nullptr;
};

// Loads a tool from a library, which stays loaded. Returns none if `library` is null or holds none.
NvtxTool load_nvtx_tool(const char* library);

// The tool that NVTX_INJECTION64_PATH names, loaded at the first call. Thread-safe.
const NvtxTool& nvtx_tool();

// A range on the calling thread, from construction to destruction. Ranges of a thread end in the reverse order of their begin.
class NvtxRange {
 public:
  explicit NvtxRange(const std::string& name) {
    if (const auto push = nvtx_tool().push) push(name.c_str());
  }
  ~NvtxRange() {
    if (const auto pop = nvtx_tool().pop) pop();
  }
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

}  // namespace weft::runtime::cuda
