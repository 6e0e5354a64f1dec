#include <csignal>
#include <memory>

#include <CLI/CLI.hpp>

#include <weft/cli/command_line.h>
#include <weft/cli/train_text_options.h>
#include <weft/cli/train_text_run.h>

namespace weft::cli {

void add_train(CLI::App& app) {
  CLI::App& train = *app.add_subcommand("train", "Train a model");
  train.require_subcommand(1);
  CLI::App& text = *train.add_subcommand("text", "Train a language model on the bytes of a file");
  const auto options = std::make_shared<TrainTextOptions>();
  const auto parser = std::make_shared<TrainTextParser>(text, *options);
  text.callback([options, parser] {
    parser->resolve();
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may grow no further is an error to report, not a reason to die
    if (const int signal = TrainTextRun(*options).run()) throw Stopped{128 + signal};
  });
}

}  // namespace weft::cli
