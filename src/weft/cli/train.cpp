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
    // A file that may grow no further and a reader that went away are errors to report, not reasons to lose the training.
    std::signal(SIGXFSZ, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
    if (const int signal = TrainTextRun(*options).run()) throw Stopped{128 + signal};
  });
}

}  // namespace weft::cli
