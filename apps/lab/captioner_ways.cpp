#include <apps/lab/captioner_ways.h>

#include <algorithm>

#include <weft/base/error.h>

namespace weft::lab {

namespace {

constexpr std::int64_t alignment = 8, bucket_count = 8;

std::string text_of(const std::vector<std::int64_t>& buckets) {
  std::string text = "buckets:";
  for (const std::int64_t size : buckets) text += concat(size == buckets.front() ? "" : ",", size);
  return text;
}

}  // namespace

std::vector<std::int64_t> buckets_of(std::int64_t context) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 1; i <= bucket_count; ++i)
    sizes.push_back(std::max<std::int64_t>(i, i * context / bucket_count));
  return sizes;
}

std::vector<CaptionerWay> captioner_ways(std::int64_t context) {
  const auto options = [](Mode mode, Dynamic dynamic) {
    return CompileOptions{.fullgraph = true, .dynamic = dynamic, .mode = mode};
  };
  const auto by = [](auto make, auto... given) { return [=](const SharedTask& task) { return make(task, given...); }; };
  const CompileOptions off = options(Mode::standard, Dynamic::off), on = options(Mode::standard, Dynamic::on);
  const auto whole = [&](Mode mode, Dynamic dynamic) { return by(whole_step, options(mode, dynamic)); };
  const std::string fixed = "fixed", longest = "longest", buckets = text_of(buckets_of(context)),
                    aligned = context % alignment == 0 ? concat("multiple:", alignment) : longest;
  const Mode standard = Mode::standard, tuned = Mode::max_autotune, tuned_only = Mode::max_autotune_no_replay;
  const Stance eager = Stance::force_eager;
  return {
      {"static", "eager", fixed, whole(standard, Dynamic::off), eager},
      {"static", "compiled model", fixed, by(model_step, off)},
      {"static", "compiled optimizer", fixed, by(model_and_optimizer_step, off)},
      {"static", "foreach_map optimizer", fixed, by(foreach_map_step, off)},
      {"static", "whole step", fixed, whole(standard, Dynamic::off)},
      {"static", "whole step, reduce_overhead", fixed, whole(Mode::reduce_overhead, Dynamic::off)},
      {"static", "whole step, max_autotune_no_replay", fixed, whole(tuned_only, Dynamic::off)},
      {"static", "whole step, max_autotune", fixed, whole(tuned, Dynamic::off)},
      {"dynamic", "eager", longest, whole(standard, Dynamic::off), eager},
      {"dynamic", "pad to longest", longest, whole(standard, Dynamic::automatic)},
      {"dynamic", "marked dynamic", aligned, whole(standard, Dynamic::automatic), {}, true},
      {"dynamic", "marked dynamic, max_autotune", aligned, whole(tuned, Dynamic::automatic), {}, true},
      {"dynamic", "dynamic on", aligned, whole(standard, Dynamic::on)},
      {"dynamic", "dynamic on, max_autotune_no_replay", aligned, whole(tuned_only, Dynamic::on)},
      {"dynamic", "eight buckets", buckets, whole(standard, Dynamic::off), {}, false, true},
      {"dynamic", "eight buckets, max_autotune", buckets, whole(tuned, Dynamic::off), {}, false, true},
      {"dynamic", "modular", aligned, by(modular_step, off, on)},
      {"dynamic", "modular, encoder max_autotune", aligned, by(modular_step, options(tuned, Dynamic::off), on)},
      {"warmup", "cold", aligned, whole(standard, Dynamic::automatic), {}, true},
      {"warmup", "cached", aligned, whole(standard, Dynamic::automatic), {}, true, false, true},
      {"warmup", "regional", aligned, by(regional_step, on)},
  };
}

}  // namespace weft::lab
