// Loops over many records of a few elements, as in points, quaternions or rows of probabilities.
#pragma once

#include <optional>

#include <weft/compiler/loop/draft.h>

namespace weft::compiler {

// Returns a loop with a row of few elements in each lane (Walk::records) that does the same as one whose axes are arranged, or nullopt if it
// would not be faster. The few elements are unrolled, so the order of a sum is that of its elements.
std::optional<DraftLoop> walk_records(const DraftLoop& loop, const KernelRequest& request);

}  // namespace weft::compiler
