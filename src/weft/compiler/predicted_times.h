// How long the thunks of a compiled program take, as predicted.
#pragma once

#include <weft/compiler/options/target.h>
#include <weft/runtime/thunk.h>

namespace weft::compiler {

// Returns the same wherever the program is compiled (Target::seconds), or for a collective, the time of the link.
inline double predicted_us(const runtime::Thunk& thunk) {
  if (thunk.stream == runtime::StreamKind::communication) return 1e6 * thunk.info.link_seconds;
  return 1e6 * Target::host().seconds(thunk.info.flops, thunk.info.bytes);
}

}  // namespace weft::compiler
