#include <weft/compiler/options/link.h>

#include <algorithm>
#include <charconv>

#include <weft/base/error.h>

namespace weft::compiler {

Link Link::parse(std::string_view text) {
  Link link;
  for (std::string_view rest = text; !rest.empty();) {
    link.leaves_cpus = link.is_throttled = true;
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view name = part.substr(0, equals), digits = part.substr(std::min(equals + 1, part.size()));
    double value = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool is_number = error == std::errc() && end == digits.data() + digits.size();
    const bool is_latency = name == "latency_us" && value >= 0, is_rate = name == "gb_s" && value > 0;
    require(is_number && value <= 1e9 && (is_latency || is_rate), "link: '", part,
            "' is not a latency in microseconds or a rate in GB/s; write the link as latency_us=50,gb_s=1");
    (is_latency ? link.latency_us : link.gb_s) = value;
  }
  return link;
}

}  // namespace weft::compiler
