#include <weft/runtime/stream.h>

#include <weft/base/trace.h>

namespace weft::runtime {

void Stream::run_timed(const Thunk& thunk, const Launch& launch, std::size_t index, ThunkTimer& timer) {
  const std::uint64_t begin = trace::now_ns();
  run(thunk, launch);
  timer.ran(index, begin, trace::now_ns());
}

}  // namespace weft::runtime
