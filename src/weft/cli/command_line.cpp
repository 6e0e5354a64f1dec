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
#include <unistd.h>

#include <weft/base/error.h>
#include <weft/base/log.h>
#include <weft/cli/interrupt.h>

namespace weft::cli {

namespace {

int report(std::string message, int code) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::cerr << "error: " << message << std::endl;
  return code;
}

// Standard streams that were closed become ones that fail, or the next file opened would get their numbers and their text.
void reserve_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0) (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

// The command that the line chose, and its name in full: "weft train text".
std::pair<const CLI::App*, std::string> chosen_command(const CLI::App& app) {
  const CLI::App* command = &app;
  std::string name = app.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += ' ' + command->get_name();
  }
  return {command, name};
}

// What is wrong about a line that could not be read: the culprit first, then where to look.
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

// What weft profile runs stands behind --, with options of its own.
std::vector<std::string> take_command_behind(int& argc, const char* const* argv) {
  if (argc < 2 || std::string_view(argv[1]) != "profile") return {};
  const auto* const end = argv + argc;
  const auto* const dashes = std::find(argv, end, std::string_view("--"));
  if (dashes == end) return {};
  argc = static_cast<int>(dashes - argv);
  return {dashes + 1, end};
}

}  // namespace

int run(const std::string& version, int argc, const char* const* argv) {
  reserve_standard_streams();
  heed_signals();
  std::vector<std::string> behind = take_command_behind(argc, argv);
  CLI::App app("Trains, compiles and explains tensor programs.", "weft");
  app.set_version_flag("--version", "weft " + version);
  app.require_subcommand(1);
  add_cache(app);
  add_compile(app);
  add_conformance(app);
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
    (void)logging::enabled(logging::Channel::warnings);  // now it warns of variables and channels that do not exist
    app.parse(argc, argv);
    std::cout.flush();
    if (!std::cout) return report("cannot write to the standard output", 1);
    return 0;
  } catch (const Stopped& stopped) {
    return stopped.exit_code;
  } catch (const CLI::ParseError& wrong) {
    // --help and --version arrive here too, as success.
    return wrong.get_exit_code() == 0 ? app.exit(wrong) : report(explain(app, wrong), 2);
  } catch (const std::bad_alloc&) {
    return report("out of memory", 1);
  } catch (const std::length_error&) {
    return report("out of memory", 1);
  } catch (const std::exception& failure) {
    return report(failure.what(), 1);
  }
}

}  // namespace weft::cli
