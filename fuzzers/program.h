// The check of the fuzzers that read programs: what they read must be a graph or an Error, within limits of time and memory, and a graph must
// print as text that reads back as the same text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <weft/base/error.h>
#include <weft/ir/text/text.h>
#include <weft/ir/verify.h>

namespace weft::fuzzers {

// Small enough that any file within these limits is read in far less than a second, even under the sanitizers.
inline constexpr ir::ParseLimits limits{.bytes = 1 << 20, .operations = 20'000, .elements = 1 << 20};

// `read` returns a Module for these bytes and limits.
template <class Read>
void check(Read&& read, const std::uint8_t* data, std::size_t size) {
  ir::Module module;
  try {
    module = read(std::string_view(reinterpret_cast<const char*>(data), size), limits);
  } catch (const Error&) {
    return;
  }
  for (const auto& function : module.functions) ir::verify(*function);
  const std::string text = print(module);
  WEFT_ASSERT(print(ir::parse_module(text)) == text, "reads back as another module");
}

}  // namespace weft::fuzzers
