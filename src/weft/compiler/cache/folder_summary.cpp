#include <weft/compiler/cache/folder_summary.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include <system_error>

#include <weft/base/error.h>
#include <weft/base/file.h>

namespace weft::compiler {

void FolderSummary::add_origin(std::string origin) {
  if (origin.empty()) return;
  std::erase(origins, origin);
  if (origins.size() == most_origins) origins.erase(origins.begin());
  origins.push_back(std::move(origin));
}

std::optional<FolderSummary> FolderSummary::read(const std::filesystem::path& folder) {
  constexpr std::uint64_t longest = 1 << 16;
  try {
    std::istringstream lines(read_file(folder / file_name, longest));
    FolderSummary summary;
    std::string line;
    std::getline(lines, line);
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), summary.bytes);
    if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
    while (std::getline(lines, line)) {
      if (line == "end") return summary;
      summary.add_origin(line);
    }
  } catch (const Error&) {
  }
  return std::nullopt;
}

void FolderSummary::write(const std::filesystem::path& folder, const std::filesystem::path& temporaries) const {
  std::string text = concat(bytes, '\n');
  for (const std::string& origin : origins) text += concat(origin, '\n');
  AtomicFile file(folder, temporaries);
  file.write(text + "end\n");
  file.commit(file_name, /*durable=*/false);
}

}  // namespace weft::compiler
