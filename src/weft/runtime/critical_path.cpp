#include <weft/runtime/critical_path.h>

#include <algorithm>
#include <vector>

#include <weft/runtime/dependencies.h>

namespace weft::runtime {

double CriticalPath::period_us() const { return std::max({compute_us, communication_us, chain_us}); }

CriticalPath critical_path(const Executable& executable, const std::function<double(const Thunk& thunk)>& thunk_us) {
  const Flow flow = flow_of(executable);
  std::vector<double> us;
  CriticalPath path;
  for (const auto& thunk : executable.thunks) {
    us.push_back(thunk_us(*thunk));
    if (thunk->stream == StreamKind::compute) path.compute_us += us.back();
    if (thunk->stream == StreamKind::communication) path.communication_us += us.back();
  }
  // Launches without any limit of streams: after some of them, each takes as long as the longest chain that goes through all.
  std::vector<double> given(executable.inputs.size()), ends(us.size());
  const auto ready = [&](const Flow::Sources& sources) {
    double at = 0;
    for (const std::uint32_t thunk : sources.thunks) at = std::max(at, ends[thunk]);
    for (const std::uint32_t input : sources.inputs) at = std::max(at, given[input]);
    return at;
  };
  constexpr int launches = 64;
  double halfway = 0, last = 0;
  for (int launch = 0; launch < launches; ++launch) {
    for (std::size_t t = 0; t < us.size(); ++t) ends[t] = ready(flow.thunks[t]) + us[t];
    std::vector<double> next = given;
    for (const Carried& value : executable.carried) next[value.input] = ready(flow.outputs[value.output]);
    given = std::move(next);
    last = executable.carried.empty() ? 0 : *std::ranges::max_element(given);
    if (launch + 1 == launches / 2) halfway = last;
  }
  path.chain_us = (last - halfway) / (launches - launches / 2);
  return path;
}

}  // namespace weft::runtime
