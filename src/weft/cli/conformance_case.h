// One self-checking program: a section of a file, its checks, and what came of running it.
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

// The sections of the file `path`, or of the files named *.mlir in the folder `path` and below, by name. Throws Error if it
// cannot be read.
std::vector<ConformanceCase> find_cases(const std::filesystem::path& path);

struct ConformanceResult {
  enum class Outcome : std::uint8_t {
    passed,
    failed,       // wrong results, or a program that is refused though it is right
    unsupported,  // `feature` is what weft does not do
    crashed,
    empty,  // no function: nothing to run
  };
  Outcome outcome = Outcome::passed;
  std::string feature = {};
  std::string reason = {};  // of failed, unsupported and crashed
  bool fell_back = false;   // it was to be compiled, and the interpreter ran it or a part of it
};

// Never throws for what the file says.
ConformanceResult run_case(const ConformanceCase& one, const ProgramOptions& options);

// A result as text, for another process.
std::string pack(const ConformanceResult& result);
ConformanceResult unpack(std::string_view text);

}  // namespace weft::cli
