// The option --device of the commands that run programs.
#pragma once

namespace CLI {
class App;
}

namespace weft::cli {

// Adds --device to `command`: it sets the knob WEFT_DEVICE for the rest of the process, before the command's callback runs. A text that is
// the name of no device is wrong usage; a GPU that is not there is an Error with the reason and the remedy.
void add_device(CLI::App& command);

}  // namespace weft::cli
