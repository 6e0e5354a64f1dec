// What can be done in several ways, done in each, in turns, and then in the fastest. Each distinct site is measured once in a
// process; what was taken stays on disk (`weft cache list`). Which one that is depends on the machine and its load. Thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <weft/base/type.h>
#include <weft/compiler/cache/entry.h>
#include <weft/compiler/options/report.h>
#include <weft/ir/graph.h>
#include <weft/runtime/cpu/allocator.h>

namespace weft::compiler {

// One of the ways.
struct Trial {
  std::string name;
  // Makes all that it needs, and gives what does it once. Throws Error if it cannot be done so.
  std::function<std::function<void()>()> prepare;
};

struct Choice {
  std::string name;       // of the way taken
  std::string told = {};  // "standard 0.31 ms, generated 0.12 ms"
  bool is_known = false;  // from an earlier time
};

// `site` says what is done: for equal ones with the same trials, the same is taken. The first trial is the standard way; another
// one is taken where it is clearly faster.
Choice fastest(const std::string& site, std::span<const Trial> trials);

// What this process has chosen or been given, as it is kept on disk, in no order; and back, for what is not known here. Text that is
// no choice is left out.
std::vector<StoredKernel> known_choices();
void add_choices(std::span<const StoredKernel> choices);
void forget_choices();  // the disk stays

// Logs and reports what was taken at a site of a program.
void tell(const std::string& program, const std::string& site, const Choice& choice, Report& report);

// Whether something can be tried at all: its sizes are numbers.
inline bool is_known(std::span<const ir::Value> values) {
  return std::ranges::all_of(values, [](const ir::Value v) { return v.type().is_static(); });
}

// What trials work on.
class TrialMemory {
 public:
  std::byte* allocate(std::uint64_t bytes) {
    return blocks_.emplace_back(allocator_->allocate(bytes)).device_address();
  }
  // Numbers between 0 and 2, or zeros where they are places.
  std::byte* filled(Type type);

 private:
  std::shared_ptr<runtime::Allocator> allocator_ = runtime::Allocator::make();
  std::vector<runtime::Memory> blocks_;
};

}  // namespace weft::compiler
