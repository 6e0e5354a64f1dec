// The elements that the windows of a part of a tensor need of the parts before and after it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <weft/ir/factors.h>
#include <weft/ir/localize.h>
#include <weft/ir/ops/window.h>

namespace weft::ir {

// Returns how far windows reach beyond a part of the base. `needed` is the number of elements, with the holes of dilation, that all windows
// of the part cover; it grows by as many as the base does. Nullopt if they need more than half of the whole base, so that a part would not
// save much.
std::optional<Halo> halo_of(const WindowDim& window, std::int64_t base, std::int64_t needed);

// Returns the padding of a part of the base with its halo, so that the windows are those of the part.
std::pair<std::int64_t, std::int64_t> padding_of_part(const WindowDim& window, const Halo& halo, std::int64_t base,
                                                      std::int64_t needed);

// Returns the halo of a dimension of operand 0 that is split; null if there is none.
const Halo* split_halo(const LocalCall& call, int dim);

}  // namespace weft::ir
