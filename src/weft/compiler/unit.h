// A Unit is what will become one thunk: which values it reads and writes, before anyone knows where they will live.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weft/compiler/fusion/lower.h>
#include <weft/ir/graph.h>
#include <weft/runtime/thunk.h>

namespace weft::compiler {

struct Unit {
  std::vector<ir::Value> reads, writes;
  std::uint64_t scratch_bytes = 0;  // memory it needs while it runs
  // Pairs (write, read) that may live in the same bytes.
  std::vector<std::pair<int, int>> in_place;
  std::uint32_t order = 0;       // the greatest id among its nodes
  bool has_side_effect = false;  // runs after those before it that have one
  runtime::ThunkInfo info;

  std::optional<Loop> loop;  // a generated kernel; else `make`
  std::function<std::unique_ptr<runtime::Thunk>(std::span<const runtime::Slice> reads,
                                                std::span<const runtime::Slice> writes, const runtime::Slice& scratch)>
      make;
};

// The value whose bytes `value` has: through reshapes, which move nothing.
ir::Value storage_of(ir::Value value);

}  // namespace weft::compiler
