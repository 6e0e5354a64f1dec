#include <weft/cli/conformance_case.h>

#include <algorithm>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/ir/text/text.h>

namespace weft::cli {

namespace {

using Outcome = ConformanceResult::Outcome;

ConformanceResult unsupported(std::string feature, std::string reason) {
  return {Outcome::unsupported, std::move(feature), std::move(reason)};
}

ConformanceResult run_section(const ir::Section& section, const ProgramOptions& options) {
  const ir::Module module = ir::parse_module(section.text, {}, section.first_line);
  if (module.functions.empty()) return {Outcome::empty};
  const auto is_main = [](const std::shared_ptr<ir::Graph>& f) { return f->name == "main"; };
  ConformanceResult result;
  for (const auto& function : module.functions) {  // main, or all functions if there is no main
    if (!is_main(function) && std::ranges::any_of(module.functions, is_main)) continue;
    if (!function->inputs().empty())
      return unsupported("inputs", "the program takes inputs, which the file does not give");
    Program program(*function, options);
    program.run({});
    result.fell_back = result.fell_back || !program.fallbacks().empty();
  }
  return result;
}

std::vector<std::filesystem::path> find_files(const std::filesystem::path& path) {
  std::error_code wrong;
  if (std::filesystem::is_regular_file(path, wrong)) return {path};
  std::vector<std::filesystem::path> files;
  for (std::filesystem::recursive_directory_iterator at(path, wrong), end; !wrong && at != end; at.increment(wrong))
    if (at->path().extension() == ".mlir" && at->is_regular_file()) files.push_back(at->path());
  if (wrong) detail::fail_with_errno("read", path, wrong.value());
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<ConformanceCase> find_cases(const std::filesystem::path& path) {
  const std::vector<std::filesystem::path> files = find_files(path);
  std::vector<ConformanceCase> cases;
  for (const auto& file : files) {
    const std::string text = read_file(file);
    for (const ir::Section& section : ir::split_sections(text))
      cases.push_back(
          {file, cases.empty() || cases.back().file != file ? 0 : cases.back().section + 1, section.first_line});
  }
  return cases;
}

ConformanceResult run_case(const ConformanceCase& one, const ProgramOptions& options) {
  try {
    const std::string text = read_file(one.file);
    return run_section(ir::split_sections(text).at(one.section), options);
  } catch (const UnsupportedError& missing) {
    return unsupported(missing.feature(), missing.what());
  } catch (const Error& wrong) {
    return {Outcome::failed, "", wrong.what()};
  } catch (const std::exception& wrong) {
    return {Outcome::crashed, "", wrong.what()};
  }
}

// The format: one digit for the outcome, one for fell_back, the feature, a line feed, the reason.
std::string pack(const ConformanceResult& result) {
  return concat(static_cast<int>(result.outcome), result.fell_back, result.feature, '\n', result.reason);
}

ConformanceResult unpack(std::string_view text) {
  WEFT_ASSERT(text.size() > 2 && text[0] >= '0' && text[0] <= '4', "no outcome: ", text);
  const std::size_t line = std::min(text.find('\n'), text.size() - 1);
  return {static_cast<Outcome>(text[0] - '0'), std::string(text.substr(2, line - 2)),
          std::string(text.substr(line + 1)), text[1] == '1'};
}

}  // namespace weft::cli
