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
  // `may_overwrite`: the inputs whose bytes a run may use for outputs; missing: none. Fallbacks inside are reported to the context.
  Region(const ir::Graph& graph, const NativeContext& context, std::vector<bool> may_overwrite = {});
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

// A region of sizes that are not known, compiled for all of them.
class SizedRegion {
 public:
  SizedRegion(std::shared_ptr<const ir::Graph> graph, const SizedOptions& options, std::vector<std::string>& fallbacks,
              const NestedCompiler& nested, std::vector<bool> may_overwrite = {});

  // Nothing if it does not serve these.
  std::optional<Region> at(const SizeValues& sizes) const;
  // All that it depends on.
  std::vector<Size> sizes() const;

 private:
  std::shared_ptr<const ir::Graph> graph_;
  std::shared_ptr<const SizedProgram> program_;
};

}  // namespace weft::compiler
