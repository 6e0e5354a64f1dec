// Profiling from code. What the program does from the making of the scope to its end is recorded, and shown in the folder's files
// (report.h).
//   {
//     const profile::Scope profile("profiles/first");
//     for (int i = 0; i < 20; ++i) { const profile::Step step(i); train_step(batch(i)); }
//   }
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <weft/base/trace.h>

namespace weft::profile {

// One at a time in a process. Never throws: what goes wrong with the files is told in one line on the error stream, and the
// program goes on without a profile.
class Scope {
 public:
  explicit Scope(const std::filesystem::path& folder, const std::string& command = {});
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Ends it now, waiting for what was launched on the CPU. Why there is no profile, or not a whole one; empty: there is.
  std::string finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::string failure_;
};

// One step of training, on the thread that records it.
class Step : public trace::Scope {
 public:
  explicit Step(std::uint64_t number) : trace::Scope("step", "step", number) {}
};

}  // namespace weft::profile
