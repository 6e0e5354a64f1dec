// One HTML page that shows a profile and contains everything it needs: it opens from a file, without a network.
#pragma once

#include <string>

#include <weft/profile/analysis.h>
#include <weft/profile/compare.h>

namespace weft::profile {

// `comparison` compares this run with an earlier one; may be null.
std::string html_report(const Recording& recording, const Analysis& analysis, const Comparison* comparison = nullptr);

}  // namespace weft::profile
