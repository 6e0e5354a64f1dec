// What the system says about this process and its memory, from /proc and the control groups (versions 1 and 2). A figure that the
// system does not give is 0, or for available_memory the largest number.  Thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace weft {

std::uint64_t peak_resident_bytes();
// Bytes this process may still take: what the machine has available, or less where a control group or a limit of the process
// (ulimit -v, ulimit -d) allows less.
std::uint64_t available_memory();
// CPUs this process may keep busy: those it may run on, or fewer where a control group rations their time.
int usable_cpus();
double seconds_since_process_start();

// "1.5 GiB", "384 KiB", "12 B".
std::string format_bytes(std::uint64_t bytes);

namespace detail {
// The same within the file system under `root`, for tests.
std::uint64_t available_memory(const std::filesystem::path& root);
int usable_cpus(const std::filesystem::path& root, int allowed);
}  // namespace detail

}  // namespace weft
