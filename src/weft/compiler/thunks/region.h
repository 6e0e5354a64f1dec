// Regions compiled to executables that a thunk runs on its own thread, as part of its own launch.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weft/compiler/plan/sized_program.h>
#include <weft/compiler/thunks/native_context.h>
#include <weft/runtime/executable.h>
#include <weft/runtime/replicas.h>

namespace weft::compiler {

class Region {
 public:
  explicit Region(std::shared_ptr<const runtime::Executable> executable) : executable_(std::move(executable)) {}

  std::uint64_t temporary_bytes() const { return executable_->temporary_bytes; }
  // Returns the input in whose bytes output `i` is written; -1 if the output has its own bytes.
  int donor(std::size_t i) const { return executable_->outputs[i].donated_input; }

  // Returns whether all of its thunks pass their work to the queue of the launch, and all that it reads is in the device's memory.
  bool is_on_device() const;
  // Returns whether the devices of a mesh meet in the region.
  bool meets() const { return runtime::any_meets(*executable_); }

  // The addresses of a run: the inputs, the outputs (ignored for outputs with a donor) and the temporaries.
  struct Addresses {
    std::span<std::byte* const> inputs, outputs;
    std::byte* temporaries;
  };
  // Runs the region as a part of the launch.
  void run(const runtime::Launch& launch, const Addresses& addresses) const;
  // The same for all devices of a mesh.
  void run_together(std::span<const runtime::Launch> launches, std::span<const Addresses> addresses) const;

 private:
  void bind(const Addresses& addresses, std::span<std::byte*> bases) const;

  std::shared_ptr<const runtime::Executable> executable_;
};

// A compiled region, for known sizes or for all sizes that its dims may have.
class RegionProgram {
 public:
  // `may_overwrite` says which inputs' bytes a run may use for outputs; missing: none. Fallbacks inside of a complete
  // program are reported to the context.
  // `target` is null for the machine that runs thunks.
  RegionProgram(std::shared_ptr<const ir::Graph> graph, const NativeContext& context,
                std::vector<bool> may_overwrite = {}, const Target* target = nullptr);

  // Returns whether it can be used. A program for a GPU is only complete if no thunk is one of the host and all sizes are known.
  bool is_complete() const;

  // Returns nullopt if the program does not serve these sizes.
  std::optional<Region> at(const SizeValues& sizes) const;
  // Returns all sizes that the program depends on; empty if they are known.
  std::vector<Size> sizes() const;

 private:
  std::shared_ptr<const ir::Graph> graph_;
  const Target* target_;
  std::shared_ptr<const runtime::Executable> executable_;  // null if sizes are not known
  std::shared_ptr<const SizedProgram> program_;
};

}  // namespace weft::compiler
