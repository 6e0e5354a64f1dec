// The ambient state of a thread: what its operations depend on besides their operands. Scopes (Autocast, BackendScope,
// SymbolicSizesScope...) change a part of it for a time. Each thread has one.
#pragma once

#include <cstdint>
#include <optional>

#include <weft/base/dtype.h>
#include <weft/ir/mesh.h>
#include <weft/record/backend.h>
#include <weft/runtime/device.h>

namespace weft::record {

class Observer;
class Recording;
class SyncStages;

struct Session {
  Recording* recording = nullptr;           // the innermost; null before anything is recorded
  Observer* observer = nullptr;             // sees what is recorded and launched; may be null
  runtime::Device* device = nullptr;        // null: the CPU
  const ir::Mesh* mesh = nullptr;           // programs run on it; null: on that of the tensors they read
  const ir::Mesh* per_device = nullptr;     // a program for each device of this mesh is being recorded; null: none is
  std::optional<Backend> backend = {};      // nullopt: as WEFT_BACKEND says
  BuildOptions build_options = {};          // for programs that are compiled
  std::optional<DType> autocast = {};       // the dtype to which products convert f32 operands
  bool sizes_are_symbols = true;            // graphs that differ only in sizes may share a program
  bool sizes_are_sampled = false;           // graphs that share none are remembered, for when they do
  std::uint64_t sizes_apart = 0;            // graphs with different values share no program
  SyncStages* sync_stages = nullptr;        // sees the stages of syncs; may be null
  std::uint64_t oldest_differentiable = 0;  // gradients end at buffers with smaller ids
};

inline constinit thread_local Session session;  // of this thread

}  // namespace weft::record
