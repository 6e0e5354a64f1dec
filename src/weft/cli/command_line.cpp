#include <weft/cli/command_line.h>

#include <algorithm>
#include <exception>
#include <iostream>

#include <CLI/CLI.hpp>

namespace weft::cli {

namespace {

int report(std::string message, int code) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::cerr << "error: " << message << std::endl;
  return code;
}

}  // namespace

int run(const std::string& version, int argc, const char* const* argv) {
  CLI::App app("Trains, compiles and explains tensor programs.", "weft");
  app.set_version_flag("--version", "weft " + version);
  app.require_subcommand(1);
  add_opt(app);
  add_train(app);
  try {
    app.parse(argc, argv);
    std::cout.flush();
    if (!std::cout) return report("cannot write to the standard output", 1);
    return 0;
  } catch (const Stopped& stopped) {
    return stopped.exit_code;
  } catch (const CLI::ParseError& wrong) {
    // --help and --version arrive here too, as success.
    return wrong.get_exit_code() == 0 ? app.exit(wrong) : report(wrong.what(), 2);
  } catch (const std::bad_alloc&) {
    return report("out of memory", 1);
  } catch (const std::exception& failure) {
    return report(failure.what(), 1);
  }
}

}  // namespace weft::cli
