#include <weft/record/compile_once.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <weft/base/error.h>
#include <weft/base/log.h>
#include <weft/compiler/artifacts.h>
#include <weft/runtime/ranks.h>

namespace weft::record {

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

void spread(std::string& text) {
  constexpr std::string_view what = "the distribution of compiled kernels";
  std::uint64_t size = text.size();
  runtime::broadcast(what, std::as_writable_bytes(std::span(&size, 1)));
  require(size <= most_bytes, what, ": ", size, " bytes are too many");
  text.resize(size);
  if (size != 0) runtime::broadcast(what, std::as_writable_bytes(std::span(text)));
}

void load(const std::string& kernels) {
  try {
    if (!kernels.empty()) (void)load_artifacts(kernels);
  } catch (const Error& refused) {
    WEFT_LOG(cache, "the kernels of the first process are not used, and compiled again: ", refused.what());
  }
}

}  // namespace

std::shared_ptr<const runtime::Executable> compile_once(
    const std::function<std::shared_ptr<const runtime::Executable>(compiler::Report& report)>& compile,
    std::optional<compiler::Report>& report) {
  const runtime::Ranks& ranks = runtime::ranks();
  std::string kernels;
  if (!ranks.is_first()) {
    spread(kernels);
    load(kernels);
  }
  auto executable = compile(report.emplace());
  if (ranks.count > 1 && ranks.is_first()) {
    if (report->compiled_kernels + report->loaded_kernels != 0) kernels = save_artifacts();
    spread(kernels);
  }
  return executable;
}

}  // namespace weft::record
