// The weft command. Each subcommand is one file that adds itself to the application; its callback runs after the whole line
// has been read.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace weft::cli {

// Runs the command line and returns the exit code: 0 done; 1 the work failed; 2 wrong use. Whatever failed is told in one line,
// `error: ...`, on the error stream.
int run(const std::string& version, int argc, const char* const* argv);

// A subcommand's callback throws Error for what went wrong (exit 1), CLI::ValidationError for options that do not fit together
// (exit 2), and Stopped when a signal ended its work early and cleanly.
void add_cache(CLI::App& app);
void add_compile(CLI::App& app);
void add_conformance(CLI::App& app);
void add_doctor(CLI::App& app);
void add_explain(CLI::App& app);
void add_fuzz(CLI::App& app);
void add_knobs(CLI::App& app);
void add_lab(CLI::App& app);
void add_lab_captioner(CLI::App& lab);
void add_lab_mesh(CLI::App& lab);
void add_opt(CLI::App& app);
// `command`: what stood behind -- on the line.
void add_profile(CLI::App& app, std::vector<std::string> command);
void add_reduce(CLI::App& app);
void add_report(CLI::App& app);
void add_run(CLI::App& app);
void add_train(CLI::App& app);

struct Stopped {
  int exit_code;  // 128 and the signal, as shells count
};

}  // namespace weft::cli
