#include <weft/compiler/cache/remote_counts.h>

#include <algorithm>
#include <sstream>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/process.h>
#include <weft/compiler/cache/disk_cache.h>

namespace weft::compiler {

namespace {
constexpr const char* remote_counts_file = "remote";
}  // namespace

std::string RemoteCounts::told() const {
  constexpr std::uint64_t us_per_ms = 1000;
  const RemoteCounts& self = *this;
  return concat(self[What::hits], " hits, ", self[What::misses], " misses, ", self[What::refused], " entries refused, ",
                self[What::uploads], " uploads, ", self[What::errors], " errors, ",
                format_bytes(self[What::bytes_read]), " read, ", format_bytes(self[What::bytes_written]), " written, ",
                self[What::waited_us] / us_per_ms, " ms waited, ", self[What::saved_us] / us_per_ms, " ms saved");
}

RemoteCounts RemoteCounts::read(const std::filesystem::path& folder) {
  constexpr std::uint64_t longest = 1 << 12;
  RemoteCounts counts;
  try {
    std::istringstream words(read_file(folder / remote_counts_file, longest));
    std::string name;
    for (std::uint64_t value = 0; words >> name >> value;) {
      const auto at = std::ranges::find(names, name);
      if (at != names.end()) counts.values[at - names.begin()] = value;
    }
  } catch (const Error&) {
  }
  return counts;
}

void RemoteCounts::add_to(const std::filesystem::path& folder) const {
  try {
    const auto alone = lock_cache(folder);
    if (!alone) return;
    const RemoteCounts before = read(folder);
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i) text += concat(names[i], ' ', before.values[i] + values[i], '\n');
    AtomicFile file(folder);
    file.write(text);
    file.commit(remote_counts_file, /*durable=*/false);
  } catch (const std::exception&) {
  }
}

}  // namespace weft::compiler
