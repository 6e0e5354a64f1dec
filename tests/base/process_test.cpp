#include <weft/base/process.h>

#include <filesystem>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <weft/base/file.h>
#include <weft/base/temporary_folder.h>

namespace weft {
namespace {

TEST(Process, FiguresAreThere) {
  EXPECT_GT(peak_resident_bytes(), 1u << 20);
  EXPECT_GT(available_memory(), 1u << 20);
  EXPECT_GE(seconds_since_process_start(), -0.02);  // the kernel counts in hundredths
  EXPECT_LT(seconds_since_process_start(), 1e6);
}

struct Root : TemporaryFolder {
  void put(const std::string& name, const std::string& text) const {
    const auto path = *this / name;
    std::filesystem::create_directories(path.parent_path());
    write_file(path, text);
  }
};

TEST(Process, AvailableMemoryIsTheMachinesOrTheGroups) {
  const Root root;
  EXPECT_GT(detail::available_memory(root.path()), std::uint64_t{1} << 60);
  root.put("proc/meminfo", "MemTotal:  9000 kB\nMemAvailable:    5000 kB\n");
  EXPECT_EQ(detail::available_memory(root.path()), 5000u * 1024);

  root.put("proc/self/status", "VmPeak:\t 900 kB\nVmSize:\t     600 kB\nVmData:\t     100 kB\n");
  root.put("proc/self/limits",
           "Max data size             unlimited            unlimited            bytes     \n"
           "Max address space         unlimited            unlimited            bytes     \n");
  EXPECT_EQ(detail::available_memory(root.path()), 5000u * 1024);
  root.put("proc/self/limits",
           "Max data size             1024000              unlimited            bytes     \n"
           "Max address space         2048000              unlimited            bytes     \n");
  EXPECT_EQ(detail::available_memory(root.path()), 900u * 1024);
  root.put("proc/self/limits", "Max address space         1024000              unlimited            bytes     \n");
  EXPECT_EQ(detail::available_memory(root.path()), 400u * 1024);
  EXPECT_EQ(detail::available_memory(root.path(), 100u * 1024), 300u * 1024);
  EXPECT_EQ(detail::available_memory(root.path(), 500u * 1024), 0u);
  root.put("proc/self/limits", "Max data size             1000                 unlimited            bytes     \n");
  EXPECT_EQ(detail::available_memory(root.path()), 0u);
  root.put("proc/self/limits", "");

  root.put("proc/self/cgroup", "0::/outer/inner\n");
  root.put("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  root.put("sys/fs/cgroup/outer/inner/memory.current", "7\n");
  EXPECT_EQ(detail::available_memory(root.path()), 5000u * 1024);
  root.put("sys/fs/cgroup/outer/memory.max", "1000000\n");
  root.put("sys/fs/cgroup/outer/memory.current", "300000\n");
  root.put("sys/fs/cgroup/outer/memory.stat", "anon 1\ninactive_file 100000\n");
  EXPECT_EQ(detail::available_memory(root.path()), 800'000u);
  root.put("sys/fs/cgroup/outer/memory.max", "100\n");
  EXPECT_EQ(detail::available_memory(root.path()), 0u);
}

TEST(Process, AvailableMemoryUnderControlGroupsOfVersion1) {
  const Root root;
  root.put("proc/meminfo", "MemAvailable:    5000 kB\n");
  root.put("proc/self/cgroup", "3:cpu,cpuacct:/a\n2:memory:/a\n");
  root.put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "4000\n");
  root.put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1500\n");
  EXPECT_EQ(detail::available_memory(root.path()), 2500u);
}

TEST(Process, UsableCpusAreThoseAllowedOrRationed) {
  EXPECT_GE(usable_cpus(), 1);
  const Root root;
  EXPECT_EQ(detail::usable_cpus(root.path(), 8), 8);
  root.put("proc/self/cgroup", "0::/outer/inner\n");
  root.put("sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  EXPECT_EQ(detail::usable_cpus(root.path(), 8), 8);
  root.put("sys/fs/cgroup/outer/cpu.max", "250000 100000\n");
  EXPECT_EQ(detail::usable_cpus(root.path(), 8), 3);
  EXPECT_EQ(detail::usable_cpus(root.path(), 2), 2);
  root.put("sys/fs/cgroup/outer/cpu.max", "1000 100000\n");
  EXPECT_EQ(detail::usable_cpus(root.path(), 8), 1);
}

TEST(Process, UsableCpusUnderControlGroupsOfVersion1) {
  const Root root;
  root.put("proc/self/cgroup", "3:cpu,cpuacct:/a\n2:memory:/a\n");
  root.put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n");
  root.put("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(detail::usable_cpus(root.path(), 8), 8);
  root.put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "400000\n");
  EXPECT_EQ(detail::usable_cpus(root.path(), 8), 4);
}

TEST(Process, BytesForPeople) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(std::uint64_t{200} << 30), "200 GiB");
  EXPECT_EQ(format_bytes(std::numeric_limits<std::uint64_t>::max()), "16.0 EiB");
}

}  // namespace
}  // namespace weft
