// Figures of the system about this process and its memory, from /proc and the control groups (versions 1 and 2). A figure that
// the system does not provide is 0, except for available_memory, where it is the largest number. Thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace weft {

std::uint64_t peak_resident_bytes();
// Returns the bytes that this process may still allocate: the memory available on the machine, or less where a control group or
// a limit of the process (ulimit -v, ulimit -d) allows less. Of limited addresses (ulimit -v), part is kept for threads and libraries.
std::uint64_t available_memory();
// Returns an explanation to append to a message about too little memory, or "" if the addresses of this process are not limited.
std::string address_space_hint();
// Lets all threads share one heap if the addresses of this process are limited (ulimit -v): glibc reserves 64 MiB for each heap. To be
// called before threads start.
void save_address_space();
// Returns the number of CPUs that this process may keep busy: the CPUs it may run on, or fewer where a control group limits
// their time.
int usable_cpus();
double seconds_since_process_start();

// Returns "1.5 GiB", "384 KiB" or "12 B".
std::string format_bytes(std::uint64_t bytes);

namespace detail {
// The same functions on the file system under `root`, for tests.
std::uint64_t available_memory(const std::filesystem::path& root, std::uint64_t reserved_address_space = 0);
int usable_cpus(const std::filesystem::path& root, int allowed);
}  // namespace detail

}  // namespace weft
