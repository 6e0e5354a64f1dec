// The contents of one file of the cache: the machine code of the kernels of one program. A file is accepted only as a whole: bytes that are
// damaged, truncated, or made by another version or for another processor are not an entry.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weft/base/status.h>

namespace weft::compiler {

struct StoredKernel {
  std::string key;     // Loop::key
  std::string object;  // an object file made by make_objects
};

std::string write_entry(std::span<const StoredKernel> kernels);
// Fails if the bytes are damaged, or were written by another build of weft.
Result<std::vector<StoredKernel>> read_entry(std::string_view bytes);

// Returns the file name for a program with these kernels: program_name, followed by a suffix for this origin (origin.h).
std::string entry_name(std::span<const std::string> keys);
std::string program_name(std::span<const std::string> keys);
// Returns the file name for the choice that autotuning made at a site.
std::string choice_name(const std::string& key);
inline constexpr std::string_view kernels_extension = ".kernels", choice_extension = ".choice";

}  // namespace weft::compiler
