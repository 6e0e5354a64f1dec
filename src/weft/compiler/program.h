// The result of a compilation: units with compiled kernels, and a plan of where their values live. With numbers for its sizes it becomes an
// executable; for other numbers, only the thunks that depend on changed sizes are made again.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <weft/compiler/loop/kernel_source.h>
#include <weft/compiler/options/target.h>
#include <weft/compiler/plan/memory_plan.h>
#include <weft/compiler/plan/sized_program.h>
#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

struct ProgramParts {
  std::string name;
  const Target* target = &Target::host();
  bool keeps_memory = false;
  std::shared_ptr<const ir::Graph> graph = {};  // the graph of the units
  std::vector<Unit> units = {};
  MemoryPlan plan = {};
  std::vector<std::vector<KernelAddress>> kernels = {};  // for each unit: the kernels of its loops
  std::shared_ptr<const void> code = {};
  std::vector<const ir::Node*> ordered_sums = {};  // sums whose order must be that of a graph of known sizes
};

class Program final : public SizedProgram, public std::enable_shared_from_this<Program> {
 public:
  explicit Program(ProgramParts parts);
  const std::string& name() const { return parts_.name; }
  Result<std::shared_ptr<const runtime::Executable>> at(
      std::vector<std::int64_t> symbols, std::span<const std::span<const std::byte>> constants) const override;

 private:
  using Code = std::vector<std::shared_ptr<const void>>;
  // The parts of an executable.
  struct Instance {
    std::vector<std::int64_t> symbols;
    std::vector<std::shared_ptr<const runtime::Thunk>> thunks;
    std::vector<Code> code;                    // for each unit: code that its thunk calls, besides the program's
    std::vector<std::uint64_t> scratch_bytes;  // for each unit
    std::shared_ptr<const TemporaryLayout> layout;
  };

  // Visits every size that the unit's thunk depends on.
  template <class Visit>
  void for_each_size(std::size_t unit, Visit&& visit) const;
  void fill_table();
  std::uint64_t symbols_of(std::size_t unit) const;
  std::shared_ptr<const Instance> last() const;
  // Returns a bit mask: bit i is set if symbol i differs from `before`.
  static std::uint64_t changed(const Instance* before, std::span<const std::int64_t> symbols);
  std::shared_ptr<runtime::Thunk> make_thunk(std::size_t unit, const Unit* sized, const SizeValues& sizes,
                                             std::uint64_t scratch_bytes) const;

  ProgramParts parts_;
  SizeTable table_;
  std::vector<std::uint64_t> symbols_;  // for each unit: the symbols that it depends on, as a bit mask
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Instance> last_;  // the last instance made
};

}  // namespace weft::compiler
