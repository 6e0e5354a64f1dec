#include <weft/base/process.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <malloc.h>
#include <sstream>
#include <string_view>
#include <time.h>

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <weft/base/error.h>

namespace weft {

namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::string contents(const std::filesystem::path& path) {  // empty if the file does not exist
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the number after `key` at the start of a line, or `fallback`.
std::uint64_t field(const std::string& text, std::string_view key, std::uint64_t fallback) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    std::istringstream rest(line.substr(key.size()));
    std::uint64_t number = 0;
    return rest >> number ? number : fallback;
  }
  return fallback;
}

// Returns what one control group leaves: its limit minus the memory that it uses and could not drop.
std::uint64_t left_in_group(const std::filesystem::path& folder, const char* limit_file, const char* usage_file,
                            std::string_view cache) {
  const std::uint64_t limit = field(contents(folder / limit_file), "", unlimited);  // "max" is not a number
  const std::uint64_t usage = field(contents(folder / usage_file), "", 0);
  const std::uint64_t reclaimable = field(contents(folder / "memory.stat"), cache, 0);
  if (limit == unlimited) return unlimited;
  return limit - std::min(limit, usage - std::min(usage, reclaimable));
}

// Returns what a limit of this process (ulimit) leaves. `limit` is its name in /proc/self/limits; `usage` is the line of
// /proc/self/status that gives the use of it in kB.
std::uint64_t left_in_process(const std::filesystem::path& root, std::string_view limit, std::string_view usage) {
  // "unlimited" is not a number
  const std::uint64_t most = field(contents(root / "proc/self/limits"), limit, unlimited);
  if (most == unlimited) return unlimited;
  return most - std::min(most, 1024 * field(contents(root / "proc/self/status"), usage, 0));
}

// Returns the number of CPUs that one control group may keep busy: its quota of time in each period.
double cpus_of_group(const std::string& quota_and_period) {
  std::istringstream numbers(quota_and_period);
  double quota = 0, period = 0;
  const bool limited = numbers >> quota >> period && quota > 0 && period > 0;  // "max" and -1 are no limit
  return limited ? quota / period : std::numeric_limits<double>::infinity();
}

// Returns the least result over the process's control group and the groups above it, whose limits apply as well. The result for
// a group is `unified(folder)` in the hierarchy of version 2, or `legacy(folder)` in the hierarchy of the controller.
template <class T, class Unified, class Legacy>
T least_of_groups(const std::filesystem::path& root, std::string_view controller, T least, Unified unified,
                  Legacy legacy) {
  const auto visit = [&least](const std::filesystem::path& top, std::filesystem::path group, auto& limit) {
    for (;; group = group.parent_path()) {
      least = std::min<T>(least, limit(top / group.relative_path()));
      if (group.relative_path().empty()) return;
    }
  };
  std::istringstream lines(contents(root / "proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {  // HIERARCHY:CONTROLLERS:PATH
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",",
                      group = line.substr(second + 1);
    const auto top = root / "sys/fs/cgroup";
    if (controllers == ",,") {
      visit(top, group, unified);
    } else if (controllers.find("," + std::string(controller) + ",") != std::string::npos) {
      visit(top / controller, group, legacy);
    }
  }
  return least;
}

}  // namespace

namespace detail {

std::uint64_t available_memory(const std::filesystem::path& root, std::uint64_t reserved_address_space) {
  const std::uint64_t kilobytes = field(contents(root / "proc/meminfo"), "MemAvailable:", unlimited / 1024);
  const std::uint64_t addresses = left_in_process(root, "Max address space", "VmSize:");
  const std::uint64_t least =
      std::min({1024 * kilobytes, left_in_process(root, "Max data size", "VmData:"),
                addresses == unlimited ? unlimited : addresses - std::min(addresses, reserved_address_space)});
  return least_of_groups(
      root, "memory", least,
      [](const auto& folder) { return left_in_group(folder, "memory.max", "memory.current", "inactive_file "); },
      [](const auto& folder) {
        return left_in_group(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ");
      });
}

int usable_cpus(const std::filesystem::path& root, int allowed) {
  const double cpus = least_of_groups(
      root, "cpu", static_cast<double>(allowed),
      [](const auto& folder) { return cpus_of_group(contents(folder / "cpu.max")); },
      [](const auto& folder) {
        return cpus_of_group(contents(folder / "cpu.cfs_quota_us") + contents(folder / "cpu.cfs_period_us"));
      });
  return std::max(static_cast<int>(std::ceil(cpus)), 1);
}

}  // namespace detail

namespace {

// Room for the compiler and the libraries, and for each thread's stack of 8 MiB and as much again while it compiles. Threads run kernels,
// streams of a device and compilations. Libraries crash where there is no room for these. With this reserve, the training of a captioner
// on two CPUs did not crash under any limit that was tried, from 350 to 720 MB.
std::uint64_t reserved_address_space() {
  static const std::uint64_t bytes = (std::uint64_t{96} << 20) + (std::uint64_t{16} << 20) * (2 * usable_cpus() + 4);
  return bytes;
}

// Returns the bytes of addresses that this process may have, or `unlimited`.
std::uint64_t address_space_limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : unlimited;
}

}  // namespace

void save_address_space() {
  if (address_space_limit() != unlimited) mallopt(M_ARENA_MAX, 1);
}

std::uint64_t available_memory() { return detail::available_memory("/", reserved_address_space()); }

std::string address_space_hint() {
  const std::uint64_t limit = address_space_limit();
  if (limit == unlimited) return "";
  return concat(" (ulimit -v allows ", format_bytes(limit), " of addresses, of which threads and libraries need ",
                format_bytes(reserved_address_space()), ")");
}

int usable_cpus() {
  cpu_set_t cpus;
  return detail::usable_cpus("/", sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1);
}

std::uint64_t peak_resident_bytes() { return 1024 * field(contents("/proc/self/status"), "VmHWM:", 0); }

double seconds_since_process_start() {
  // Field 22 of the line; field 2 is in parentheses and may hold any characters.
  const std::string text = contents("/proc/self/stat");
  const std::size_t name_end = text.rfind(')');
  if (name_end == text.npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int i = 3; i < 22; ++i) fields >> skipped;
  double ticks = 0;
  fields >> ticks;
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec - ticks / ::sysconf(_SC_CLK_TCK);
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  double value = bytes;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 || value >= 99.95 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text.data();
}

}  // namespace weft
