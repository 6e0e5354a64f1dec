// The ways to run a captioner's training that the experiment compares.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <apps/lab/captioner_steps.h>
#include <weft/jit/options.h>

namespace weft::lab {

// A row of a table.
struct CaptionerWay {
  std::string table, name, padding;
  std::function<CaptionStep(const SharedTask&)> make;
  Stance stance = Stance::standard;
  bool marks = false;        // says that the length is dynamic
  bool all_buckets = false;  // begins with a batch of every bucket, as the article proposes; most are compiled ahead
  bool finds_the_cache = false;  // on disk, as the row before left it
};

// In the order of their tables; the first of each is what the others are compared with.
std::vector<CaptionerWay> captioner_ways(std::int64_t context);
// The lengths that captions are padded to where there are buckets.
std::vector<std::int64_t> buckets_of(std::int64_t context);

}  // namespace weft::lab
