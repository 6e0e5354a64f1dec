// Compiled programs. An executable and a loaded executable are two handles of one program.
#pragma once

#include <memory>
#include <pjrt_c_api.h>

#include <weft/pjrt/program.h>

struct PJRT_Executable {
  std::shared_ptr<const weft::pjrt::Program> program;
};

struct PJRT_LoadedExecutable {
  std::shared_ptr<const weft::pjrt::Program> program;
  bool deleted = false;
};

namespace weft::pjrt {

// Compiles StableHLO, bytecode or text. Throws UnsupportedError for other formats.
void run(PJRT_Client_Compile_Args& args);
// Launches the program on all of its devices together and returns at once; an error of the launch is that of the outputs and of the events.
// The arrays of donated arguments are deleted.
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
void run(PJRT_Executable_GetCostAnalysis_Args& args);

void run(PJRT_LoadedExecutable_Destroy_Args& args);
void run(PJRT_LoadedExecutable_Delete_Args& args);
void run(PJRT_LoadedExecutable_IsDeleted_Args& args);
void run(PJRT_LoadedExecutable_GetExecutable_Args& args);
void run(PJRT_LoadedExecutable_AddressableDevices_Args& args);
void run(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args& args);
void run(PJRT_LoadedExecutable_GetDeviceAssignment_Args& args);

}  // namespace weft::pjrt
