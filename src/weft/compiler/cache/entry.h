// What one file of the cache holds: the machine code of the kernels of one program. It is taken only whole: bytes that were damaged,
// cut, or made by another version or for another processor are not an entry.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::compiler {

struct StoredKernel {
  std::string key;     // Loop::key
  std::string object;  // as make_objects made it
};

std::string write_entry(std::span<const StoredKernel> kernels);
// Nothing, and why, if the bytes are not what write_entry wrote here.
std::optional<std::vector<StoredKernel>> read_entry(std::string_view bytes, std::string& reason);

// The name of the file for a program with these kernels: program_name, then what tells this origin (origin.h) from others.
std::string entry_name(std::span<const std::string> keys);
std::string program_name(std::span<const std::string> keys);
// That of the file for what autotuning chose at a site.
std::string choice_name(const std::string& key);
inline constexpr std::string_view kernels_extension = ".kernels", choice_extension = ".choice";

}  // namespace weft::compiler
