// The weft command. Each subcommand is one file that adds itself to the application; its callback runs after the whole
// command line is parsed.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace weft::cli {

// Runs the command line and returns the exit code: 0 for success, 1 if the work failed, 2 for wrong usage. Every
// failure is reported on the error stream in one line, `error: ...`.
int run(const std::string& version, int argc, const char* const* argv);

// The callback of a subcommand throws Error if its work fails (exit 1), CLI::ValidationError for options that
// contradict each other (exit 2), and Stopped if a signal ended its work early and cleanly.
void add_cache(CLI::App& app);
void add_compile(CLI::App& app);
void add_conformance(CLI::App& app);
void add_devices(CLI::App& app);
void add_doctor(CLI::App& app);
void add_explain(CLI::App& app);
void add_fuzz(CLI::App& app);
void add_knobs(CLI::App& app);
void add_lab(CLI::App& app);
void add_lab_captioner(CLI::App& lab);
void add_lab_mesh(CLI::App& lab);
void add_lab_sparse(CLI::App& lab);
void add_opt(CLI::App& app);
// `command`: the arguments after -- on the command line.
void add_profile(CLI::App& app, std::vector<std::string> command);
void add_reduce(CLI::App& app);
void add_report(CLI::App& app);
void add_run(CLI::App& app);
void add_train(CLI::App& app);

struct Stopped {
  int exit_code;  // 128 + signal, as in shells
};

}  // namespace weft::cli
