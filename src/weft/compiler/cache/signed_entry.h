// An entry as it lies in a store that others can write: signed by the user who made it (signature.h), and bound to its name.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <weft/base/status.h>
#include <weft/compiler/cache/entry.h>

namespace weft::compiler {

struct SignedEntry {
  std::string name;
  std::vector<StoredKernel> kernels;
  std::chrono::nanoseconds made_in;  // the time it took to compile or to measure
};

// Throws Error if this user has no key and none can be made.
std::string write_signed_entry(const SignedEntry& entry);
// Fails if the bytes are damaged, are not the entry of this name, come from another build, or are not signed by a trusted key.
Result<SignedEntry> read_signed_entry(std::string_view bytes, const std::string& name);

}  // namespace weft::compiler
