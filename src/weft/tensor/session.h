// A Session holds what the operations of a thread go by, beside what they are given. Scopes (Autocast, BackendScope, SyncOrderScope...)
// change a part of it for a time. Each thread has one. Ambient beside it are the recording (recording.h), who observes it (observer.h),
// the parameters that a loop body may write (body_parameters.h) and the generator of random keys (random.h).
#pragma once

#include <cstdint>
#include <optional>

#include <weft/base/dtype.h>
#include <weft/runtime/device.h>
#include <weft/tensor/backend.h>
#include <weft/tensor/sync.h>

namespace weft::detail {

struct Session {
  runtime::Device* device = nullptr;    // null: the CPU
  std::optional<Backend> backend = {};  // none: as WEFT_BACKEND says
  BuildOptions build_options = {};      // of programs that are compiled
  std::optional<DType> autocast = {};   // what products take f32 operands as
  bool sizes_are_symbols = true;        // whether graphs that differ in sizes only may share a program
  bool sizes_are_sampled = false;       // whether graphs are remembered for that where they do not share one
  std::uint64_t sizes_apart = 0;        // graphs that differ in it share none
  SyncOrder sync_order = SyncOrder::logical_ids;
  std::uint64_t oldest_of_gradients = 0;  // gradients end at buffers with smaller ids

  static Session& current();  // of this thread
};

}  // namespace weft::detail
