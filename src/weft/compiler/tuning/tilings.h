// How much of its walk a kernel does at once, measured.
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

// Those worth measuring for a loop with these parameters; its own comes first.
std::vector<Tiling> tilings_of(const Loop& loop, std::span<const std::int64_t> parameters, const Target& target);

// Gives each kernel of known sizes the tiling in which it is the fastest; the report receives a line for each that was measured.
void tile(std::vector<Unit>& units, const std::string& program, Report& report);

}  // namespace weft::compiler
