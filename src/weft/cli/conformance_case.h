// One self-checking program: a section of a file with its checks, and the result of running it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <weft/cli/program.h>

namespace weft::cli {

struct ConformanceCase {
  std::filesystem::path file;
  std::size_t section = 0;
  int first_line = 1;
};

// Returns the sections of the file `path`, or of all *.mlir files in the folder `path` and its subfolders, sorted by
// name. Throws Error if it cannot be read.
std::vector<ConformanceCase> find_cases(const std::filesystem::path& path);

struct ConformanceResult {
  enum class Outcome : std::uint8_t {
    passed,
    failed,       // wrong results, or a valid program was rejected
    unsupported,  // `feature` names what weft does not support
    crashed,
    empty,  // no function: nothing to run
  };
  Outcome outcome = Outcome::passed;
  std::string feature = {};
  std::string reason = {};  // if failed, unsupported or crashed
  bool fell_back = false;   // it was to be compiled, but the interpreter ran at least a part of it
};

// Does not throw, whatever the file contains.
ConformanceResult run_case(const ConformanceCase& one, const ProgramOptions& options);

// Converts a result to text, to pass it to another process.
std::string pack(const ConformanceResult& result);
ConformanceResult unpack(std::string_view text);

}  // namespace weft::cli
