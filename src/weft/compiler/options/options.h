// What a compilation is asked for.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <weft/base/size.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

class Observer;

// Says for which operations alternatives are measured when a program is compiled.
enum class Tuning : std::uint8_t {
  none,
  padding,  // products, as they are and with sizes filled up to whole vectors
  all,
};

struct Options {
  const Target* target = &Target::host();  // the machine that the program is for
  std::string name = {};                   // of the program, in messages and profiles; empty: the graph's
  // Strict mode: no contraction of multiply and add, and results independent of the number of threads and of fusion, bit for bit.
  bool strict = false;
  bool fuse = true;                            // off: one kernel per node
  std::set<std::string> disabled_passes = {};  // by name
  std::vector<bool> donatable = {};            // per input: its bytes may be taken over by an output; missing: none
  Tuning tuning = Tuning::none;                // not in strict mode
  // What values may take that wait for a later use, as activations do for the backward pass: beyond it the cheapest are computed
  // again instead of kept. 0: all are kept.
  std::uint64_t activation_bytes = 0;
  // The program keeps the memory of its outputs from launch to launch (runtime/kept_blocks.h).
  bool keeps_memory = false;
  // Of a graph whose dims are expressions of symbols: values of those, for which choices of speed are made.
  SizeValues sizes = {};
  Observer* observer = nullptr;

  static Options from_knobs();  // strict and fuse as WEFT_STRICT and WEFT_FUSE say
};

}  // namespace weft::compiler
