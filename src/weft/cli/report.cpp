// weft report: shows a recorded run again, or compares two runs.
#include <weft/profile/report.h>

#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/cli/command_line.h>
#include <weft/cli/options.h>
#include <weft/cli/profile_folder.h>
#include <weft/profile/compare.h>
#include <weft/profile/html.h>
#include <weft/profile/table.h>

namespace weft::cli {

namespace {

struct ReportOptions {
  std::string run, other, html;
  std::int64_t top = 20;
  bool json = false;
};

struct Run {
  profile::Recording recording;
  profile::Analysis analysis;

  explicit Run(const std::filesystem::path& path)
      : recording(profile::read_recording(path)), analysis(profile::analyse(recording)) {}
};

void print_compactly(const nlohmann::ordered_json& json) {
  std::cout << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
}

void write_html(const ReportOptions& options, const Run& run, const profile::Comparison* comparison) {
  if (!options.html.empty()) write_file(options.html, profile::html_report(run.recording, run.analysis, comparison));
}

void report_one(const ReportOptions& options) {
  const std::filesystem::path path = options.run.empty() ? last_profile_folder() : std::filesystem::path(options.run);
  const Run run(path);
  // A run that was killed left only its recording, so its report is written now.
  if (std::error_code ignored; options.html.empty() && std::filesystem::is_directory(path, ignored))
    for (const std::string& failed : profile::write_report(run.recording, run.analysis, path))
      std::cerr << "warning: " << failed << std::endl;
  write_html(options, run, nullptr);
  if (options.json) return print_compactly(profile::ops_json(run.recording, run.analysis));
  std::cout << profile::table(run.recording, run.analysis, options.top) << std::flush;
}

void report_two(const ReportOptions& options) {
  const Run before(options.run), after(options.other);
  warn_of_gaps(before.recording);
  warn_of_gaps(after.recording);
  const profile::Comparison comparison =
      profile::compare(before.recording, before.analysis, after.recording, after.analysis);
  write_html(options, after, &comparison);
  if (options.json) return print_compactly(profile::comparison_json(comparison));
  std::cout << profile::comparison_text(comparison, options.top) << std::flush;
}

}  // namespace

void add_report(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("report", "Show a recorded run, or compare two");
  const auto options = std::make_shared<ReportOptions>();
  command.add_option("RUN", options->run, "A folder that weft profile made; default: the last one under weft-profile/");
  command.add_option("OTHER", options->other,
                     "A later run to compare with: its operations are matched with those of RUN");
  add_text(command, "--html", options->html, "a file",
           "Write the HTML page to this file; for two runs, with their comparison");
  add_integer(command, "--top", options->top, "Operations to print", {0, 100'000});
  command.add_flag("--json", options->json, "Print one JSON object on the standard output, and nothing else");
  command.callback([options] { options->other.empty() ? report_one(*options) : report_two(*options); });
}

}  // namespace weft::cli
