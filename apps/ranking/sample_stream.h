// Samples of several days, one after the other. A stream is read by one thread at a time, but the samples are made on
// any thread: next() returns a function that makes them, so that several threads can parse or generate at the same time
// what was taken in order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <apps/ranking/criteo.h>
#include <apps/ranking/planted_rule.h>

namespace weft::ranking {

// Where a stream stands.
struct StreamPosition {
  std::int64_t day = 0;    // among those of the stream
  std::int64_t lines = 0;  // of this day before the position
  std::uint64_t byte = 0;  // in the text of the day's file; 0 if there is none
  friend bool operator==(const StreamPosition&, const StreamPosition&) = default;
};

struct Samples {
  std::vector<CriteoSample> samples;
  std::int64_t skipped = 0;     // malformed lines
  std::string first_skipped{};  // which the first one was, and why
};

class SampleStream {
 public:
  virtual ~SampleStream() = default;
  // Takes the next `count` lines, or fewer at the end of the days. Returns a function that makes their samples; an
  // empty one at the end.
  virtual std::function<Samples()> next(std::int64_t count) = 0;
  virtual StreamPosition position() const = 0;
};

// Days that can be read as often as needed. Thread-safe.
class Days {
 public:
  virtual ~Days() = default;
  virtual std::unique_ptr<SampleStream> open(StreamPosition from = {}) const = 0;
  // Reads all files; tells now and then how many lines it has counted.
  virtual std::int64_t count_samples(const std::function<void(std::int64_t)>& counted) const = 0;
  // Returns the rule that the clicks follow; nullopt if it is not known.
  virtual std::optional<PlantedRule> rule() const = 0;
  // Identifies the data in a checkpoint.
  virtual std::string digest() const = 0;
};

// Days that are generated as they are needed: `count` days from `first` on.
class GeneratedDays : public Days {
 public:
  GeneratedDays(std::uint64_t seed, std::int64_t first, std::int64_t count, std::int64_t samples_of_day)
      : rule_(seed), first_(first), count_(count), samples_of_day_(samples_of_day) {}

  std::unique_ptr<SampleStream> open(StreamPosition from) const override;
  std::int64_t count_samples(const std::function<void(std::int64_t)>&) const override {
    return count_ * samples_of_day_;
  }
  std::optional<PlantedRule> rule() const override { return rule_; }
  std::string digest() const override { return "generated"; }

 private:
  PlantedRule rule_;
  std::int64_t first_, count_, samples_of_day_;
};

// Days that are files, plain or compressed with gzip.
class FileDays : public Days {
 public:
  // If `tolerant`, malformed lines are skipped and counted; otherwise they are errors, which name file and line.
  FileDays(std::vector<std::filesystem::path> files, std::optional<PlantedRule> rule, bool tolerant)
      : files_(std::move(files)), rule_(rule), tolerant_(tolerant) {}

  std::unique_ptr<SampleStream> open(StreamPosition from) const override;
  std::int64_t count_samples(const std::function<void(std::int64_t)>& counted) const override;
  std::optional<PlantedRule> rule() const override { return rule_; }
  // Depends on the names and first lines of the files only, so that a file may be mended before a run goes on with it.
  std::string digest() const override;

 private:
  std::vector<std::filesystem::path> files_;
  std::optional<PlantedRule> rule_;
  bool tolerant_;
};

}  // namespace weft::ranking
