// Measures how much of its walk a kernel should do at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <weft/compiler/loop/loop.h>
#include <weft/compiler/options/report.h>
#include <weft/compiler/options/target.h>
#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Returns the tilings worth measuring for a loop with these parameters; the loop's own comes first.
std::vector<Tiling> tilings_of(const Loop& loop, std::span<const std::int64_t> parameters, const Target& target);

// Gives each kernel of known sizes its fastest tiling; adds a line to the report for each kernel that was measured.
void tile(std::vector<Unit>& units, const std::string& program, Report& report);

}  // namespace weft::compiler
