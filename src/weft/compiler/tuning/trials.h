// Measures several ways of doing the same thing in turns and takes the fastest. Each distinct site is measured once per process, and the
// choice is kept on disk (`weft cache list`). The choice depends on the machine and its load. Thread-safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weft/base/type.h>
#include <weft/compiler/cache/entry.h>
#include <weft/compiler/options/report.h>
#include <weft/ir/graph.h>
#include <weft/runtime/cpu/host_memory.h>

namespace weft::compiler {

// One of the ways.
struct Trial {
  std::string name;
  // Prepares everything and returns a function that does the work once. Throws Error if the work cannot be done in this way.
  std::function<std::function<void()>()> prepare;
};

struct Choice {
  std::string name;       // of the trial taken
  std::string told = {};  // "standard 0.31 ms, generated 0.12 ms"
  bool is_known = false;  // was not measured now but known from before
};

// Returns the choice for a site. Equal sites with the same trials get the same choice. The first trial is the standard one; another one is
// taken only if it is clearly faster.
Choice fastest(const std::string& site, std::span<const Trial> trials);

// The choices of those who measure by themselves. Returns the choice that is known for a site, from this process or an earlier one.
std::optional<Choice> known_choice(const std::string& site);
// Keeps a choice that took `measured_in`, unless another thread or process was faster and kept one that `accepts` takes. Returns the one that
// is kept.
Choice keep_choice(const std::string& site, const Choice& choice, std::chrono::nanoseconds measured_in,
                   const std::function<bool(const Choice&)>& accepts);

// Returns what this process has chosen or been given, in the format of the disk, in no particular order; add_choices adds choices for sites
// that are not known yet and skips text that is not a choice.
std::vector<StoredKernel> known_choices();
void add_choices(std::span<const StoredKernel> choices);
void forget_choices();  // files on disk stay

// Logs and reports the choice at a site of a program.
void tell(const std::string& program, const std::string& site, const Choice& choice, Report& report);

// Returns whether all sizes are numbers, as trials require.
inline bool is_known(std::span<const ir::Value> values) {
  return std::ranges::all_of(values, [](const ir::Value v) { return v.type().is_static(); });
}

// Memory that trials work on.
class TrialMemory {
 public:
  std::byte* allocate(std::uint64_t bytes) {
    return blocks_.emplace_back(allocator_->allocate(bytes)).device_address();
  }
  // Fills it with numbers between 0 and 2, or with zeros if they are indices.
  std::byte* filled(Type type);

 private:
  std::shared_ptr<runtime::Allocator> allocator_ = runtime::host_allocator();
  std::vector<runtime::Memory> blocks_;
};

}  // namespace weft::compiler
