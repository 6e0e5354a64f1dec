// The variants of a captioner's training that the experiment compares.
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
  bool marks = false;        // marks the length as dynamic
  bool all_buckets = false;  // starts with a batch of every bucket, as the article proposes; most are compiled ahead
  bool finds_the_cache = false;  // starts with the disk cache that the previous row left
};

// Returns the variants in the order of their tables; the first of each table is the baseline.
std::vector<CaptionerWay> captioner_ways(std::int64_t context);
// Returns the bucket sizes to which captions are padded.
std::vector<std::int64_t> buckets_of(std::int64_t context);

}  // namespace weft::lab
