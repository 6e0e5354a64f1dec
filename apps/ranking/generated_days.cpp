// Streams of generated samples.
#include <algorithm>

#include <apps/ranking/sample_stream.h>
#include <weft/base/error.h>

namespace weft::ranking {

namespace {

class GeneratedStream : public SampleStream {
 public:
  GeneratedStream(const PlantedRule& rule, std::int64_t first, std::int64_t days, std::int64_t samples_of_day,
                  StreamPosition from)
      : rule_(rule), first_(first), days_(days), samples_of_day_(samples_of_day), at_(from) {}

  std::function<Samples()> next(std::int64_t count) override {
    count = std::min(count, (days_ - at_.day) * samples_of_day_ - at_.lines);
    if (count <= 0) return {};
    const StreamPosition from = at_;
    at_.lines += count;
    at_.day += at_.lines / samples_of_day_;
    at_.lines %= samples_of_day_;
    return [rule = rule_, first = first_, of_day = samples_of_day_, from, count] {
      Samples made;
      made.samples.reserve(count);
      for (std::int64_t i = from.lines; i < from.lines + count; ++i)
        made.samples.push_back(rule.sample(first + from.day + i / of_day, i % of_day));
      return made;
    };
  }
  StreamPosition position() const override { return at_; }

 private:
  PlantedRule rule_;
  std::int64_t first_, days_, samples_of_day_;
  StreamPosition at_;
};

}  // namespace

std::unique_ptr<SampleStream> GeneratedDays::open(StreamPosition from) const {
  return std::make_unique<GeneratedStream>(rule_, first_, count_, samples_of_day_, from);
}

}  // namespace weft::ranking
