// The options of a compilation.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <weft/base/size.h>
#include <weft/compiler/options/link.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

class Observer;

// For which operations compilation measures alternatives.
enum class Tuning : std::uint8_t {
  none,
  padding,  // products only: with their own sizes, and padded to whole vectors
  all,
};

// How independent collectives of one kind become one, which carries the tensors of all of them.
enum class Bucketing : std::uint8_t {
  chosen,  // where that is predicted to end the communication earliest
  one,     // as few as possible
  none,
};

struct Options {
  const Target* target = &Target::host();  // the machine that the program is for
  std::string name = {};                   // the program's name in messages and profiles; empty: the graph's
  // Strict mode: no contraction of multiply and add, and results independent of the number of threads and of fusion, bit for bit.
  bool strict = false;
  bool fuse = true;                            // if off, each node is a kernel of its own
  std::set<std::string> disabled_passes = {};  // by name
  std::vector<bool> donatable = {};            // for each input: whether an output may take its memory; missing: false
  Tuning tuning = Tuning::none;                // ignored in strict mode
  // The memory budget for values that wait for a later use, such as activations for the backward pass. Beyond it, the values that are
  // cheapest to recompute are computed again instead of kept. 0: all values are kept.
  std::uint64_t activation_bytes = 0;
  // Whether the program keeps the memory of its outputs from launch to launch (runtime/kept_blocks.h).
  bool keeps_memory = false;
  // The devices of the mesh that the program is for, whose collectives it contains. Such a program runs only as one of several
  // replicas (runtime/replicas.h).
  std::uint32_t devices = 1;
  // Of such a program: the link between the devices, how it is used, and whether collectives run beside computation. These change no
  // bit of a result.
  Link link = {};
  Bucketing bucketing = Bucketing::chosen;
  bool overlap = true;  // if the link leaves the CPUs free
  // If not 0, the program is for a simulation of the mesh. One device runs it alone and stands for this many that share its machine; its
  // collectives exchange nothing: they give what the device holds, as often as it fits.
  std::uint32_t stands_for = 0;
  // For a graph with symbolic dims: sample values of the symbols, used only for choices that affect speed.
  SizeValues sizes = {};
  Observer* observer = nullptr;

  // Sets strict and fuse from WEFT_STRICT and WEFT_FUSE, and how devices communicate from WEFT_LINK, WEFT_BUCKETS and WEFT_OVERLAP.
  static Options from_knobs();
  bool overlaps() const { return overlap && link.leaves_cpus; }
  // Returns how many devices share the CPUs of a machine, so that the work of one takes that many times as long.
  std::uint32_t devices_together() const;
  // Identifies how devices communicate, for keys of programs on meshes.
  std::uint64_t communication_key() const;
};

}  // namespace weft::compiler
