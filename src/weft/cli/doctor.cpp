// weft doctor: ranks what costs a recorded run time.
#include <weft/profile/doctor.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <weft/base/error.h>
#include <weft/cli/command_line.h>
#include <weft/cli/profile_folder.h>

namespace weft::cli {

namespace {

struct DoctorOptions {
  std::string run;
  bool json = false;
};

void doctor(const DoctorOptions& options) {
  const std::filesystem::path run = options.run.empty() ? last_profile_folder() : std::filesystem::path(options.run);
  const profile::Recording recording = profile::read_recording(run);
  const profile::Analysis analysis = profile::analyse(recording);
  const profile::Diagnosis diagnosis = profile::diagnose(recording, analysis);
  if (options.json) {
    std::cout << profile::diagnosis_json(recording, analysis, diagnosis)
                     .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
              << std::endl;
  } else {
    std::cout << profile::diagnosis_text(recording, analysis, diagnosis) << std::flush;
  }
}

}  // namespace

void add_doctor(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("doctor", "Rank what costs a recorded run time, by the loss per step");
  const auto options = std::make_shared<DoctorOptions>();
  command.add_option("RUN", options->run, "A folder that weft profile made; default: the last one under weft-profile/");
  command.add_flag("--json", options->json, "Print one JSON object on the standard output, and nothing else");
  command.callback([options] { doctor(*options); });
}

}  // namespace weft::cli
