// weft profile: runs another weft command and records where its time went.
#include <algorithm>
#include <csignal>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <weft/base/error.h>
#include <weft/base/version.h>
#include <weft/cli/command_line.h>
#include <weft/cli/device_option.h>
#include <weft/cli/interrupt.h>
#include <weft/cli/options.h>
#include <weft/cli/profile_folder.h>
#include <weft/profile/report.h>
#include <weft/profile/scope.h>
#include <weft/profile/table.h>
#include <weft/runtime/ranks.h>

namespace weft::cli {

namespace {

constexpr int wrong_use = 2;  // the exit code of a command that was called wrongly

struct ProfileOptions {
  std::string output;
  std::int64_t top = 20;
  bool json = false;
};

// Redirects the standard output to the error stream during its lifetime.
class OutputAside {
 public:
  OutputAside() : output_(::dup(STDOUT_FILENO)) {
    std::cout.flush();
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~OutputAside() {
    std::cout.flush();
    ::dup2(output_, STDOUT_FILENO);
    ::close(output_);
  }
  OutputAside(const OutputAside&) = delete;
  OutputAside& operator=(const OutputAside&) = delete;

 private:
  int output_;
};

int run_recorded(const std::vector<std::string>& command) {
  std::vector<const char*> argv = {"weft"};
  for (const std::string& word : command) argv.push_back(word.c_str());
  return run(std::string(version()), static_cast<int>(argv.size()), argv.data());
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += concat(text.empty() ? "" : " ", word);
  return text;
}

void show(const ProfileOptions& options, const std::filesystem::path& folder, bool takes_output) {
  const profile::Recording recording = profile::read_recording(folder);
  const profile::Analysis analysis = profile::analyse(recording);
  if (options.json) {
    std::cout << profile::ops_json(recording, analysis).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
              << std::endl;
    return;
  }
  // If the command prints JSON, the standard output contains nothing else.
  std::ostream& out = takes_output ? std::cerr : std::cout;
  out << '\n'
      << profile::table(recording, analysis, options.top) << "\nprofile: " << folder.string()
      << "/report.html, trace.json, ops.json; tensorboard --logdir " << folder.string() << std::endl;
}

void profile_command(const ProfileOptions& options, const std::vector<std::string>& command) {
  if (command.empty())
    throw CLI::ValidationError("weft profile needs a weft command after --: weft profile -- run FILE");
  const std::filesystem::path folder =
      options.output.empty() ? new_profile_folder() : std::filesystem::path(options.output);
  const bool is_first = runtime::ranks().is_first(), is_new = is_first && !std::filesystem::exists(folder);
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit is then an error to report
  int code = 0;
  Status status;
  {
    const auto aside = options.json ? std::make_unique<OutputAside>() : nullptr;
    const auto words =
        is_first
            ? std::make_unique<PartingWords>(concat("; `weft report ", folder.string(), "` shows what was recorded"))
            : nullptr;
    profile::Scope scope(folder, "weft " + joined(command));
    code = run_recorded(command);
    status = scope.finish();
  }
  if (code == wrong_use && is_new) {  // nothing ran, so this would not be the latest profile of anything
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    throw Stopped{code};
  }
  if (status && is_first) show(options, folder, std::ranges::find(command, "--json") != command.end());
  if (code != 0) throw Stopped{code};
  require(status.ok(), "the profile is not whole: ", status.reason());
}

}  // namespace

void add_profile(CLI::App& app, std::vector<std::string> command) {
  CLI::App& profile = *app.add_subcommand("profile", "Run a weft command and record where its time goes");
  profile.footer("weft profile [OPTIONS] -- COMMAND [ARGUMENTS]");
  const auto options = std::make_shared<ProfileOptions>();
  add_text(profile, "--output", options->output, "a folder",
           "Folder for the profile; default: a new one under weft-profile/");
  add_device(profile);
  add_integer(profile, "--top", options->top, "Ops to print", {0, 100'000});
  profile.add_flag("--json", options->json,
                   "Print one JSON object on the standard output; what the command prints goes to the error stream");
  profile.callback([options, command = std::move(command)] { profile_command(*options, command); });
}

}  // namespace weft::cli
