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

// What code depends on beside its loop: this build of weft, the processor, LLVM.
const std::string& code_origin();

std::string write_entry(std::span<const StoredKernel> kernels);
// Nothing, and why, if the bytes are not what write_entry wrote here.
std::optional<std::vector<StoredKernel>> read_entry(std::string_view bytes, std::string& reason);

// The name of the file for a program with these kernels.
std::string entry_name(std::span<const std::string> keys);

}  // namespace weft::compiler
