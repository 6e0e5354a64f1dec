// The contents of a recording, as every viewer reads them: spans of host and device, the programs that ran with their thunks,
// memory, diagnostics, metrics. Times are nanoseconds of the steady clock of the recorded process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <weft/base/diagnostics.h>
#include <weft/profile/program_order.h>
#include <weft/runtime/executable.h>
#include <weft/runtime/program_description.h>

namespace weft::profile {

struct Op {  // a thunk, as it was compiled
  runtime::ThunkInfo info;
  std::vector<runtime::Slice> reads, writes;
};

struct Program {
  std::string name = {};  // unique within a recording: "step", "step #2"
  std::vector<Op> ops = {};
  std::vector<runtime::Allocation> allocations = {};  // without the bytes of constants
  std::vector<std::uint32_t> donated = {};            // allocations of outputs that lie in the bytes of an input
  std::uint64_t temporary_bytes = 0, peak_bytes = 0;
  runtime::ProgramDescription description = {};
  std::optional<ProgramOrder> order = {};  // of its ops; nullopt if they run one after the other

  // Returns the instruction that an op runs; null if unknown, and for -1.
  const runtime::Instruction* instruction(std::int32_t op) const { return op < 0 ? nullptr : description.of_thunk(op); }
};

struct Span {
  std::uint32_t category = 0, name = 0;  // indices into Recording::strings
  std::uint32_t thread = 0;
  std::int32_t program = -1, op = -1;  // for a launch on the device and for a thunk
  std::uint32_t reserved = 0;
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint64_t number = 0;  // of the launch, the step or the batch; for memory, the bytes

  std::uint64_t ns() const { return end_ns - begin_ns; }
};

// Rates that this machine achieves, measured when the recording ended; 0 if unknown.
struct Roofs {
  double flops = 0;         // per second, for an f32 matrix product on all kernel threads
  double memory_bytes = 0;  // per second, for copying data that fits in no cache
  double cache_bytes = 0;   // per second, for copying data in the caches
};

// How busy the machine was, counted from the start of the recording and sampled ten times a second; 0 where the system does not
// tell.
struct Load {
  std::uint64_t time_ns = 0;
  std::uint64_t cpu_ns = 0;  // CPU time of this process, on all CPUs
  // Time for which its threads were ready but another thread had the CPU; summed over the threads.
  std::uint64_t waited_ns = 0;
  std::uint64_t preemptions = 0;     // involuntary context switches of its threads
  std::uint64_t machine_cpu_ns = 0;  // busy time of the CPUs that this process may run on, whoever ran there
  std::uint64_t stolen_ns = 0;       // time for which the hypervisor ran something else on these CPUs
};

struct Recording {
  std::filesystem::path file;
  nlohmann::json about =
      nlohmann::json::object();  // version, command, host, cpu, cpus, threads, settings, unix_ns, steady_ns
  std::vector<std::string> strings, threads;
  std::vector<Program> programs;
  std::vector<Span> spans;  // by begin; of two that begin together, the longer first
  std::vector<diagnostics::Event> events;
  std::vector<Load> loads;                     // by time
  nlohmann::json first_metrics, last_metrics;  // from metrics::json(), with "time_ns" added
  Roofs roofs;
  std::uint64_t dropped = 0;       // spans that were not kept
  double recording_ns = 0;         // estimated cost of the recording itself
  bool complete = false;           // the recorded process ended the recording itself
  std::vector<std::string> notes;  // what is missing or damaged, for people

  const std::string& category(const Span& span) const { return strings[span.category]; }
  const std::string& name(const Span& span) const { return strings[span.name]; }
};

inline constexpr const char* recording_file = "recording.weft";

// Reads a recording, or the one in a profile's folder. A file left by a killed process is read as far as possible. Throws Error
// if the file is not a recording.
Recording read_recording(const std::filesystem::path& path);

}  // namespace weft::profile
