// What a profile recorded, as every viewer reads it: spans of host and device, the programs that ran with their thunks, memory,
// diagnostics, metrics. Times are nanoseconds of the steady clock of the recorded process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <weft/base/diagnostics.h>
#include <weft/runtime/executable.h>
#include <weft/runtime/program_description.h>

namespace weft::profile {

struct Op {  // a thunk, as it was compiled
  runtime::ThunkInfo info;
  std::vector<runtime::Slice> reads, writes;
};

struct Program {
  std::string name = {};  // no two of a recording have the same: "step", "step #2"
  std::vector<Op> ops = {};
  std::vector<runtime::Allocation> allocations = {};  // without the bytes of constants
  std::vector<std::uint32_t> donated = {};            // allocations of outputs that lie in the bytes of an input
  std::uint64_t temporary_bytes = 0, peak_bytes = 0;
  runtime::ProgramDescription description = {};

  // The instruction that an op runs; null where it is not known, and for -1.
  const runtime::Instruction* instruction(std::int32_t op) const {
    return op < 0 ? nullptr : description.of_thunk(static_cast<std::size_t>(op));
  }
};

struct Span {
  std::uint32_t category = 0, name = 0;  // indices into Recording::strings
  std::uint32_t thread = 0;
  std::int32_t program = -1, op = -1;  // of a launch on the device, and of a thunk
  std::uint32_t reserved = 0;
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint64_t number = 0;  // of the launch, the step or the batch; of memory, the bytes

  std::uint64_t ns() const { return end_ns - begin_ns; }
};

// What this machine can do, measured when the recording ended; 0: unknown.
struct Roofs {
  double flops = 0;         // per second, f32 matrix product on all kernel threads
  double memory_bytes = 0;  // per second, copying what no cache holds
  double cache_bytes = 0;   // per second, copying what the caches hold
};

// How busy the machine was, counted from the beginning of the recording. Taken ten times a second; 0 where the system does not say.
struct Load {
  std::uint64_t time_ns = 0;
  std::uint64_t cpu_ns = 0;          // of this process, on all CPUs
  std::uint64_t waited_ns = 0;       // its threads were ready and another thread had the CPU; summed over the threads
  std::uint64_t preemptions = 0;     // involuntary context switches of its threads
  std::uint64_t machine_cpu_ns = 0;  // the CPUs that this process may run on, for whatever process
  std::uint64_t stolen_ns = 0;       // the same CPUs, while the hypervisor ran something else
};

struct Recording {
  std::filesystem::path file;
  nlohmann::json about =
      nlohmann::json::object();  // version, command, host, cpu, cpus, threads, settings, unix_ns, steady_ns
  std::vector<std::string> strings, threads;
  std::vector<Program> programs;
  std::vector<Span> spans;  // by beginning; of two that begin together, the longer first
  std::vector<diagnostics::Event> events;
  std::vector<Load> loads;                     // by time
  nlohmann::json first_metrics, last_metrics;  // as metrics::json() gives them, with "time_ns"
  Roofs roofs;
  std::uint64_t dropped = 0;       // spans that were not kept
  double recording_ns = 0;         // what recording itself cost, estimated
  bool complete = false;           // the recorded process ended the recording itself
  std::vector<std::string> notes;  // what is missing or damaged, for people

  const std::string& category(const Span& span) const { return strings[span.category]; }
  const std::string& name(const Span& span) const { return strings[span.name]; }
};

inline constexpr const char* recording_file = "recording.weft";

// Reads a recording, or the one in a profile's folder. What a killed process left is read as far as it goes. Throws Error for a
// file that is no recording.
Recording read_recording(const std::filesystem::path& path);

}  // namespace weft::profile
