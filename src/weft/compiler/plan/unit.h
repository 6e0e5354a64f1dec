// A Unit will become one thunk. It says which values the thunk reads and writes, before it is known where they will live.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <weft/base/size.h>
#include <weft/compiler/loop/kernel_source.h>
#include <weft/compiler/loop/loop.h>
#include <weft/compiler/options/target.h>
#include <weft/ir/graph.h>
#include <weft/runtime/thunk.h>

namespace weft::compiler {

// Machine code that a thunk calls: the body of a fold, a loop. It is compiled together with the kernels of all units and available when
// thunks are made.
struct Routine {
  KernelSource source;
  std::string key;                    // equal keys mean equal code
  std::shared_ptr<const void> keeps;  // owns what the source points to
  KernelAddress address = nullptr;    // of code that the executable keeps mapped
  bool on_gpu = false;                // whether it is code for the target if that is a GPU, otherwise for the host
};

struct Unit;

// Generated kernels, which equal units share: one kernel, or the kernels of several units that were joined (plan/horizontal.h), whose reads
// and writes are concatenated.
struct GeneratedKernels {
  std::vector<std::shared_ptr<const Loop>> loops;
  // Each kernel writes its part of all values that the unit writes; otherwise each writes values of its own.
  bool write_parts = false;
};

// A thunk that is written by hand or calls a library.
struct HandwrittenThunk {
  std::function<std::unique_ptr<runtime::Thunk>(std::span<const runtime::Slice> reads,
                                                std::span<const runtime::Slice> writes, const runtime::Slice& scratch)>
      make;
  std::vector<std::shared_ptr<Routine>> routines;  // the routines that the thunk calls
  bool has_to_prepare = false;                     // whether the thunk must be prepared before it first runs
};

// A unit whose form depends on sizes that are not yet known.
struct SizedLater {
  // Returns the unit for these sizes, of which only scratch_bytes, the work and the HandwrittenThunk are used; nullopt if the unit does not
  // serve these sizes. The result depends on `sizes` and on the sizes of what the unit reads and writes.
  std::function<std::optional<Unit>(const SizeValues& sizes)> at;
  std::vector<Size> sizes;
};

struct Unit {
  std::vector<ir::Value> reads, writes;
  std::uint64_t scratch_bytes = 0;  // memory that it needs while it runs
  // Pairs (write, read) that may live in the same bytes.
  std::vector<std::pair<int, int>> in_place;
  bool updates_part = false;     // changes part of a value, in place if possible; otherwise copies the whole value
  std::uint32_t order = 0;       // the greatest id among its nodes
  bool has_side_effect = false;  // runs after all earlier units with side effects
  runtime::StreamKind stream = runtime::StreamKind::compute;
  double link_seconds = 0;  // of a collective: how long the link between the devices is predicted to take
  runtime::ThunkInfo info;  // without the work of a run, which depends on sizes:
  Size flops = 0;
  std::optional<Size> bytes = {};  // bytes moved; empty: all that it reads and writes
  std::variant<HandwrittenThunk, GeneratedKernels, SizedLater> form;

  HandwrittenThunk& thunk() { return std::get<HandwrittenThunk>(form); }
  const HandwrittenThunk& thunk() const { return std::get<HandwrittenThunk>(form); }
  // These return null if the unit has another form.
  const HandwrittenThunk* handwritten() const { return std::get_if<HandwrittenThunk>(&form); }
  GeneratedKernels* kernels() { return std::get_if<GeneratedKernels>(&form); }
  const GeneratedKernels* kernels() const { return std::get_if<GeneratedKernels>(&form); }
  const SizedLater* sized_later() const { return std::get_if<SizedLater>(&form); }
};

// Returns the target of the kernels of a unit: a GPU runs those whose ops it has, the host all others.
const Target& code_target(const Unit& unit, const Target& target);
inline const Target& code_target(const Routine& routine, const Target& target) {
  return routine.on_gpu ? target : target.of_thunks();
}

}  // namespace weft::compiler
