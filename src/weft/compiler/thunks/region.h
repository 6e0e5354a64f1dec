// A region compiled to an executable that a thunk runs in place, on its own thread, as part of its own launch.
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

namespace weft::compiler {

class Region {
 public:
  explicit Region(std::shared_ptr<const runtime::Executable> executable) : executable_(std::move(executable)) {}

  std::uint64_t temporary_bytes() const { return executable_->temporary_bytes; }
  // The input in whose bytes output `i` comes out; -1: in bytes of its own.
  int donor(std::size_t i) const { return executable_->outputs[i].donated_input; }

  // Addresses of the inputs, the outputs (those with a donor are ignored) and the temporaries.
  void run(std::uint64_t step, std::span<std::byte* const> inputs, std::span<std::byte* const> outputs,
           std::byte* temporaries) const;

 private:
  std::shared_ptr<const runtime::Executable> executable_;
};

// A compiled region: of known sizes, or for all that its dims may have.
class RegionProgram {
 public:
  // `may_overwrite`: the inputs whose bytes a run may use for outputs; missing: none. Fallbacks inside are reported to the context.
  RegionProgram(std::shared_ptr<const ir::Graph> graph, const NativeContext& context,
                std::vector<bool> may_overwrite = {});

  // Returns nullopt if the program does not serve these sizes.
  std::optional<Region> at(const SizeValues& sizes) const;
  // All that it depends on; none if they are known.
  std::vector<Size> sizes() const;

 private:
  std::shared_ptr<const ir::Graph> graph_;
  std::shared_ptr<const runtime::Executable> executable_;  // null: of sizes that are not known
  std::shared_ptr<const SizedProgram> program_;
};

}  // namespace weft::compiler
