#include <weft/profile/report.h>

#include <functional>

#include <weft/base/file.h>
#include <weft/profile/html.h>
#include <weft/profile/machine.h>
#include <weft/profile/perfetto.h>
#include <weft/profile/serialize.h>
#include <weft/profile/table.h>
#include <weft/profile/xplane.h>
#include <weft/runtime/hlo_text.h>

namespace weft::profile {

std::vector<std::string> write_report(const Recording& recording, const Analysis& analysis,
                                      const std::filesystem::path& folder) {
  std::vector<std::string> failed;
  const auto write = [&](const std::filesystem::path& name, const std::function<std::string()>& text) {
    try {
      std::error_code ignored;
      std::filesystem::create_directories((folder / name).parent_path(), ignored);
      write_file(folder / name, text());
    } catch (const std::exception& wrong) {
      failed.emplace_back(wrong.what());
    }
  };
  write("ops.json", [&] {
    return ops_json(recording, analysis).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  });
  write("report.html", [&] { return html_report(recording, analysis); });
  write("trace.json", [&] { return perfetto_json(recording); });
  // TensorBoard looks for runs below plugins/profile, and keeps caches there, so a new profile needs a new name.
  std::error_code none;
  const std::filesystem::path whole = std::filesystem::absolute(folder, none).lexically_normal();
  const std::filesystem::path run = whole.has_filename() ? whole.filename() : whole.parent_path().filename();
  write(std::filesystem::path("plugins/profile") / run /
            (runtime::hlo_name(shortened(recording.about.value("host", host_name()), 64)) + ".xplane.pb"),
        [&] { return xspace(recording, analysis); });
  return failed;
}

}  // namespace weft::profile
