#include <csignal>
#include <memory>

#include <CLI/CLI.hpp>

#include <weft/cli/command_line.h>
#include <weft/cli/device_option.h>
#include <weft/cli/train_captioner_options.h>
#include <weft/cli/train_captioner_run.h>
#include <weft/cli/train_ranking_options.h>
#include <weft/cli/train_ranking_run.h>
#include <weft/cli/train_text_options.h>
#include <weft/cli/train_text_run.h>

namespace weft::cli {

namespace {

// Adds a subcommand whose options are `Options`, parsed by a `Parser`, and whose work is done by a `Run`.
template <class Options, class Parser, class Run>
void add_model(CLI::App& train, const char* name, const char* description) {
  CLI::App& command = *train.add_subcommand(name, description);
  const auto options = std::make_shared<Options>();
  const auto parser = std::make_shared<Parser>(command, *options);
  add_device(command);
  command.callback([options, parser] {
    parser->resolve();
    // A file size limit and a closed pipe are errors to report; they must not end the training.
    std::signal(SIGXFSZ, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
    if (const int signal = Run(*options).run()) throw Stopped{128 + signal};
  });
}

}  // namespace

void add_train(CLI::App& app) {
  CLI::App& train = *app.add_subcommand("train", "Train a model");
  train.require_subcommand(1);
  add_model<TrainTextOptions, TrainTextParser, TrainTextRun>(train, "text",
                                                             "Train a language model on the bytes of a file");
  add_model<TrainCaptionerOptions, TrainCaptionerParser, TrainCaptionerRun>(
      train, "captioner", "Train a captioner, a ViT with a GPT-2, on pictures of coloured shapes");
  add_model<TrainRankingOptions, TrainRankingParser, TrainRankingRun>(
      train, "ranking", "Train a DLRM, which ranks by predicted clicks, on click logs or on generated ones");
}

}  // namespace weft::cli
