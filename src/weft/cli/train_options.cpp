#include <weft/cli/train_options.h>

#include <CLI/CLI.hpp>

#include <weft/cli/options.h>

namespace weft::cli {

void declare_train_options(CLI::App& command, TrainOptions& options) {
  constexpr IntegerRange positive{1}, thread_counts{1, 4096};
  add_integer(command, "--steps", options.steps,
              "training steps, including those before a resume; default: the preset's or those of the resumed run",
              positive);
  add_real(command, "--minutes", options.minutes, "stop after this many minutes", RealRange::positive);
  add_integer(command, "--threads", options.threads, "threads of kernels", thread_counts);
  add_text(command, "--save", options.save, "a folder", "folder of the checkpoint; also saved on Ctrl-C");
  add_text(command, "--resume", options.resume, "a folder",
           "continue from the checkpoint in this folder, and save to it unless --save is given");
  add_integer(command, "--save-every", options.save_every, "steps between saves; default: one save at the end",
              positive);
  add_integer(command, "--val-every", options.val_every, "steps between validations; default: one at the end",
              positive);
  add_integer(command, "--log-every", options.log_every,
              "steps between lines where no bar is drawn; default: a twentieth of the steps", positive);
  command.add_flag("--json", options.json, "print one JSON object on the standard output, and nothing else");
}

}  // namespace weft::cli
