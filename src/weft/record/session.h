// The ambient state of a thread: what its operations depend on besides their operands. Scopes (Autocast, BackendScope,
// SymbolicSizesScope...) change a part of it for a time. Each thread has one.
#pragma once

#include <cstdint>
#include <optional>

#include <weft/base/dtype.h>
#include <weft/record/backend.h>
#include <weft/runtime/device.h>

namespace weft::record {

class Observer;
class Recording;
class SyncStages;

struct Session {
  Recording* recording = nullptr;           // the innermost; null: nothing was recorded yet
  Observer* observer = nullptr;             // sees what is recorded and launched; null: nobody
  runtime::Device* device = nullptr;        // null: the CPU
  std::optional<Backend> backend = {};      // none: as WEFT_BACKEND says
  BuildOptions build_options = {};          // of programs that are compiled
  std::optional<DType> autocast = {};       // what products take f32 operands as
  bool sizes_are_symbols = true;            // whether graphs that differ in sizes only may share a program
  bool sizes_are_sampled = false;           // whether graphs are remembered for that where they do not share one
  std::uint64_t sizes_apart = 0;            // graphs that differ in it share none
  SyncStages* sync_stages = nullptr;        // sees the stages of syncs; null: nobody
  std::uint64_t oldest_differentiable = 0;  // gradients end at buffers with smaller ids
};

inline constinit thread_local Session session;  // of this thread

}  // namespace weft::record
