// Reads arbitrary bytes as StableHLO text.
#include <fuzzers/program.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::fuzzers::check([](auto bytes, const auto& limits) { return weft::ir::parse_module(bytes, limits); }, data, size);
  return 0;
}
