// Reads arbitrary bytes as bytecode: the result must be a graph or an Error, within limits of time and memory. A graph must print as text
// that reads back as the same text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <weft/base/error.h>
#include <weft/ir/bytecode/bytecode.h>
#include <weft/ir/verify.h>

namespace {

// Small enough that any file within these limits is read in far less than a second, even under the sanitizers.
constexpr weft::ir::ParseLimits limits{.bytes = 1 << 20, .operations = 20'000, .elements = 1 << 20};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::ir::Module module;
  try {
    module = weft::ir::read_bytecode({reinterpret_cast<const char*>(data), size}, limits);
  } catch (const weft::Error&) {
    return 0;
  }
  for (const auto& function : module.functions) weft::ir::verify(*function);
  const std::string text = print(module);
  WEFT_ASSERT(print(weft::ir::parse_module(text)) == text, "reads back as another module");
  return 0;
}
