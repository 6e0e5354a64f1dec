#include <weft/cli/train_options.h>

#include <CLI/CLI.hpp>

#include <weft/base/error.h>
#include <weft/cli/config_flags.h>
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
  add_text(command, "--mesh", options.mesh, "a mesh",
           "run on logical devices: data=4 divides the batch, data=4,model=2 the layers, too; default: one device");
  add_integer(command, "--zero", options.parallelism.zero,
              "divide along the axis data: 1 and 2 the optimizer's state and the gradients, 3 the parameters, too",
              {0, 3});
  command.add_flag("--json", options.json, "print one JSON object on the standard output, and nothing else");
}

void resolve_parallelism(TrainOptions& options, std::int64_t batch) {
  try {
    if (!options.mesh.empty()) options.parallelism.mesh = train::parse_mesh(options.mesh);
    if (options.resume.empty()) options.parallelism.check(batch);
  } catch (const Error& error) {
    throw CLI::ValidationError(led_by_flag(error.what()));
  }
}

}  // namespace weft::cli
