// Reads arbitrary bytes as bytecode.
#include <fuzzers/program.h>

#include <weft/ir/bytecode/bytecode.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::fuzzers::check([](auto bytes, const auto& limits) { return weft::ir::read_bytecode(bytes, limits); }, data,
                       size);
  return 0;
}
