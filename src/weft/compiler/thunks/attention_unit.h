// Attention as a unit of its own on a GPU.
#pragma once

#include <weft/compiler/options/target.h>
#include <weft/compiler/plan/attention.h>
#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Makes the unit of attention or of its gradient. Unknown sizes are filled in later; those of `values` are used only for choices that
// affect speed.
Unit attention_unit(const Attention& attention, const Target& target, const SizeValues& values);

}  // namespace weft::compiler
