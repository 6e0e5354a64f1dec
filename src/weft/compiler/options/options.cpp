#include <weft/compiler/options/options.h>

#include <bit>
#include <string_view>

#include <weft/base/error.h>
#include <weft/base/hash.h>
#include <weft/base/knobs.h>
#include <weft/runtime/ranks.h>

namespace weft::compiler {

namespace {

Bucketing bucketing_named(std::string_view name) {
  if (name == "chosen") return Bucketing::chosen;
  if (name == "one") return Bucketing::one;
  require(name == "none", "WEFT_BUCKETS: '", name, "' is not a way to join collectives: use chosen, one or none");
  return Bucketing::none;
}

}  // namespace

Options Options::from_knobs() {
  Options options;
  options.strict = knobs::strict();
  options.fuse = knobs::fuse();
  options.link = Link::parse(knobs::link());
  options.bucketing = bucketing_named(knobs::buckets());
  options.overlap = knobs::overlap();
  return options;
}

std::uint32_t Options::devices_together() const {
  return stands_for != 0 ? stands_for : runtime::local_devices(devices).count;
}

std::uint64_t Options::communication_key() const {
  std::uint64_t key = mix(std::bit_cast<std::uint64_t>(link.latency_us), std::bit_cast<std::uint64_t>(link.gb_s));
  key = mix(key, static_cast<std::uint64_t>(bucketing));
  return mix(key, std::uint64_t{link.is_throttled} << 1 | std::uint64_t{overlaps()});
}

}  // namespace weft::compiler
