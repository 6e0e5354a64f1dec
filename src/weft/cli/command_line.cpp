#include <weft/cli/command_line.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/knobs.h>
#include <weft/base/log.h>
#include <weft/base/process.h>
#include <weft/cli/interrupt.h>
#include <weft/compiler/cache/object_store.h>
#include <weft/compiler/cache/signature.h>
#include <weft/compiler/passes/pipeline.h>
#include <weft/record/backend.h>
#include <weft/runtime/ranks.h>

namespace weft::cli {

namespace {

bool has_joined = false;

// Prints an error, unless another process of the job has told already why it ends.
int report(std::string message, int code) {
  if (has_joined && runtime::ranks().transport && !runtime::ranks().transport->board().claim_report()) return code;
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::cerr << "error: " << message << std::endl;
  return code;
}

// Joins the processes that were started together with this one. The first of them speaks for all.
void join_ranks() {
  if (!runtime::is_one_of_several()) return;
  const runtime::Ranks& ranks = runtime::ranks();
  has_joined = true;
  if (ranks.rank == 0) return;
  const Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  ::dup2(nowhere.number(), STDOUT_FILENO);
}

// Writes out what is buffered. Returns the exit code of a command that has done its work.
int end_output() {
  std::cout.flush();
  return std::cout ? 0 : report("cannot write to the standard output", 1);
}

// Opens /dev/null for standard streams that are closed, in a mode in which their use fails. Otherwise the next opened
// file would get the number of a standard stream, and its text.
void reserve_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0) (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

// Returns the command that the command line chose, and its full name: "weft train text".
std::pair<const CLI::App*, std::string> chosen_command(const CLI::App& app) {
  const CLI::App* command = &app;
  std::string name = app.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += ' ' + command->get_name();
  }
  return {command, name};
}

// Describes what is wrong with a command line: the culprit first, then where to find help.
std::string explain(const CLI::App& app, const CLI::ParseError& wrong) {
  const auto [command, name] = chosen_command(app);
  const std::string help = concat("; `", name, " --help` shows what there is");
  const bool takes_command = command->get_require_subcommand_min() > 0;
  if (const auto unread = command->remaining(); !unread.empty()) {
    if (unread.front().starts_with('-')) return concat("unknown option ", unread.front(), help);
    return concat(takes_command ? "unknown command " : "unexpected argument ", unread.front(), help);
  }
  if (takes_command) return concat(name, " needs a command", help);
  return wrong.what();
}

// Removes the arguments after -- from the command line and returns them; weft profile runs them as a command.
std::vector<std::string> take_command_behind(int& argc, const char* const* argv) {
  if (argc < 2 || std::string_view(argv[1]) != "profile") return {};
  const auto* const end = argv + argc;
  const auto* const dashes = std::find(argv, end, std::string_view("--"));
  if (dashes == end) return {};
  argc = dashes - argv;
  return {dashes + 1, end};
}

// Throws Error if the value of a knob makes no sense, also if the command would not use it.
void check_knobs() {
  knobs::check();
  (void)record::backend();
  (void)compiler::disabled_passes();
  (void)compiler::trusted_keys();
  if (const std::string url = knobs::cache_url(); !url.empty()) (void)compiler::ObjectStorePlace::parse(url);
}

}  // namespace

int run(const std::string& version, int argc, const char* const* argv) {
  reserve_standard_streams();
  heed_signals();
  save_address_space();
  std::vector<std::string> behind = take_command_behind(argc, argv);
  try {
    check_knobs();
    join_ranks();
  } catch (const Error& wrong) {
    return report(wrong.what(), 2);
  }
  CLI::App app("Trains, compiles and explains tensor programs.", "weft");
  app.set_version_flag("--version", "weft " + version);
  app.require_subcommand(1);
  add_cache(app);
  add_compile(app);
  add_conformance(app);
  add_devices(app);
  add_doctor(app);
  add_explain(app);
  add_fuzz(app);
  add_knobs(app);
  add_lab(app);
  add_opt(app);
  add_profile(app, std::move(behind));
  add_reduce(app);
  add_report(app);
  add_run(app);
  add_train(app);
  try {
    (void)logging::enabled(logging::Channel::warnings);  // warns of unknown variables and channels
    app.parse(argc, argv);
    return end_output();
  } catch (const Stopped& stopped) {
    return stopped.exit_code;
  } catch (const CLI::ParseError& wrong) {
    // --help and --version also arrive here, with exit code 0.
    if (wrong.get_exit_code() != 0) return report(explain(app, wrong), 2);
    app.exit(wrong);
    return end_output();
  } catch (const runtime::OtherRankError&) {
    runtime::ranks().transport->board().await_report();
    return 1;
  } catch (const std::bad_alloc&) {
    return report("out of memory", 1);
  } catch (const std::length_error&) {
    return report("out of memory", 1);
  } catch (const std::system_error& failure) {
    if (failure.code() != std::errc::resource_unavailable_try_again) return report(failure.what(), 1);
    return report(
        "the system starts no more threads; the limits `ulimit -u`, -v and -s, or those of a container, are too tight",
        1);
  } catch (const std::exception& failure) {
    return report(failure.what(), 1);
  }
}

}  // namespace weft::cli
