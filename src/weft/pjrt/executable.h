// Compiled programs. An executable and a loaded executable are two handles of one program.
#pragma once

#include <memory>
#include <pjrt_c_api.h>
#include <string>
#include <vector>

#include <weft/ir/boundary.h>
#include <weft/ir/graph.h>
#include <weft/runtime/executable.h>

namespace weft::pjrt {

struct Program {
  std::string name, text;  // the text is that of the program as it was read
  std::shared_ptr<const ir::Graph> graph;
  std::shared_ptr<const runtime::Executable> executable;
  std::vector<ir::Port> inputs, outputs;
  std::vector<bool> donated;  // for each of `inputs`: whether a launch may use its memory for outputs
  // The same for JAX, which reads arrays of them.
  std::vector<PJRT_Buffer_Type> output_types;
  std::vector<int64_t> output_dims;  // of all outputs, one after the other
  std::vector<std::size_t> output_ranks;
  std::vector<const char*> memory_kinds;
  std::vector<std::size_t> memory_kind_sizes;
};

}  // namespace weft::pjrt

struct PJRT_Executable {
  std::shared_ptr<const weft::pjrt::Program> program;
};

struct PJRT_LoadedExecutable {
  std::shared_ptr<const weft::pjrt::Program> program;
  bool deleted = false;
};

namespace weft::pjrt {

// Compiles StableHLO, bytecode or text. Throws UnsupportedError for other formats and for programs of several devices.
void run(PJRT_Client_Compile_Args& args);
// Launches the program and returns at once; an error of the launch is that of the outputs and of the event. The arrays of donated arguments
// are deleted.
void run(PJRT_LoadedExecutable_Execute_Args& args);

void run(PJRT_Executable_Destroy_Args& args);
void run(PJRT_Executable_Name_Args& args);
void run(PJRT_Executable_NumReplicas_Args& args);
void run(PJRT_Executable_NumPartitions_Args& args);
void run(PJRT_Executable_NumOutputs_Args& args);
void run(PJRT_Executable_OutputElementTypes_Args& args);
void run(PJRT_Executable_OutputDimensions_Args& args);
void run(PJRT_Executable_OutputMemoryKinds_Args& args);
void run(PJRT_Executable_OptimizedProgram_Args& args);
void run(PJRT_Executable_GetCompiledMemoryStats_Args& args);

void run(PJRT_LoadedExecutable_Destroy_Args& args);
void run(PJRT_LoadedExecutable_Delete_Args& args);
void run(PJRT_LoadedExecutable_IsDeleted_Args& args);
void run(PJRT_LoadedExecutable_GetExecutable_Args& args);
void run(PJRT_LoadedExecutable_AddressableDevices_Args& args);
void run(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args& args);
void run(PJRT_LoadedExecutable_GetDeviceAssignment_Args& args);

}  // namespace weft::pjrt
