// A Unit is what will become one thunk: which values it reads and writes, before anyone knows where they will live.
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
#include <weft/ir/graph.h>
#include <weft/runtime/thunk.h>

namespace weft::compiler {

// Machine code that a thunk calls: the body of a fold, a loop. It is compiled together with the kernels of all units, and there
// when thunks are made.
struct Routine {
  KernelSource source;
  std::string key;                    // equal keys, equal code
  std::shared_ptr<const void> keeps;  // what the source points to
  KernelAddress address = nullptr;    // of code that the executable keeps mapped
};

struct Unit;

// Generated kernels, which equal units share: one, or several of units that were joined (plan/horizontal.h), whose reads and writes
// stand one behind the other.
struct GeneratedKernels {
  std::vector<std::shared_ptr<const Loop>> loops;
};

// A thunk that is written by hand, or a library's.
struct HandwrittenThunk {
  std::function<std::unique_ptr<runtime::Thunk>(std::span<const runtime::Slice> reads,
                                                std::span<const runtime::Slice> writes, const runtime::Slice& scratch)>
      make;
  std::vector<std::shared_ptr<Routine>> routines;  // that it calls
  bool has_to_prepare = false;                     // before it first runs
};

// What takes its form when sizes are known.
struct SizedLater {
  // Returns the unit for these sizes, of which its scratch_bytes, its work and its HandwrittenThunk count; nullopt if the unit does
  // not serve them. It depends on `sizes`, and on those of what it reads and writes.
  std::function<std::optional<Unit>(const SizeValues& sizes)> at;
  std::vector<Size> sizes;
};

struct Unit {
  std::vector<ir::Value> reads, writes;
  std::uint64_t scratch_bytes = 0;  // memory it needs while it runs
  // Pairs (write, read) that may live in the same bytes.
  std::vector<std::pair<int, int>> in_place;
  bool updates_part = false;     // of what it may change in place, and copies the whole otherwise
  std::uint32_t order = 0;       // the greatest id among its nodes
  bool has_side_effect = false;  // runs after those before it that have one
  runtime::StreamKind stream = runtime::StreamKind::compute;
  runtime::ThunkInfo info;  // but for the work of a run, which depends on sizes:
  Size flops = 0;
  std::optional<Size> bytes = {};  // that it moves; empty: all that it reads and writes
  std::variant<HandwrittenThunk, GeneratedKernels, SizedLater> form;

  HandwrittenThunk& thunk() { return std::get<HandwrittenThunk>(form); }
  const HandwrittenThunk& thunk() const { return std::get<HandwrittenThunk>(form); }
  // These return null if the unit has another form.
  const HandwrittenThunk* handwritten() const { return std::get_if<HandwrittenThunk>(&form); }
  GeneratedKernels* kernels() { return std::get_if<GeneratedKernels>(&form); }
  const GeneratedKernels* kernels() const { return std::get_if<GeneratedKernels>(&form); }
  const SizedLater* sized_later() const { return std::get_if<SizedLater>(&form); }
};

}  // namespace weft::compiler
