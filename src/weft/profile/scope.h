// Profiling from code. Everything that the program does during the lifetime of a scope is recorded, and shown in the folder's
// files (report.h).
//   {
//     const profile::Scope profile("profiles/first");
//     for (int i = 0; i < 20; ++i) { const profile::Step step(i); train_step(batch(i)); }
//   }
// Of several processes that mpirun started together, each records what it does: the first one in the folder, and rank N in its folder
// rank-N.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <weft/base/status.h>
#include <weft/base/trace.h>

namespace weft::profile {

// Only one may exist in a process at a time. Never throws: problems with the files are reported in one line on the error
// stream, and the program continues without a profile.
class Scope {
 public:
  explicit Scope(const std::filesystem::path& folder, const std::string& command = {});
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Ends the profile now, after waiting for everything launched on the CPU. Fails if there is no profile, or only an
  // incomplete one.
  Status finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  Status status_;
};

// Marks one step of training, on the thread that records it.
class Step : public trace::Scope {
 public:
  explicit Step(std::uint64_t number) : trace::Scope("step", "step", number) {}
};

}  // namespace weft::profile
