#include <weft/runtime/launch_timer.h>

#include <span>

#include <weft/runtime/launch_record.h>

namespace weft::runtime {

void LaunchTimer::ran(std::size_t thunk, std::uint64_t begin_ns, std::uint64_t end_ns) {
  const std::uint64_t ns = end_ns - begin_ns;
  if (tallies_.is_on()) tallies_.add(launch_.executable, thunk, std::span(&ns, 1));
  if (!trace::enabled()) return;
  trace::keep(launch_.executable);
  trace::add("thunk", launch_.executable->thunks[thunk]->info.name.c_str(), begin_ns, end_ns, launch_.id);
}

}  // namespace weft::runtime
