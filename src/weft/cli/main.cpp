#include <weft/cli/command_line.h>

int main(int argc, char** argv) { return weft::cli::run(WEFT_VERSION, argc, argv); }
