// One page that shows a profile, with all it needs within it: it opens from a file, without a network.
#pragma once

#include <string>

#include <weft/profile/analysis.h>
#include <weft/profile/compare.h>

namespace weft::profile {

// `comparison`: of this run with an earlier one; null: none.
std::string html_report(const Recording& recording, const Analysis& analysis, const Comparison* comparison = nullptr);

}  // namespace weft::profile
