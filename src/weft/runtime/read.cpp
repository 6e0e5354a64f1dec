#include <weft/runtime/read.h>

#include <exception>
#include <utility>
#include <vector>

#include <weft/base/metrics.h>
#include <weft/base/trace.h>

namespace weft::runtime {

void Read::begin(const BufferPtr& buffer) {
  of_ = buffer.get();
  source_ = buffer->event();
  buffer_ = buffer;
  buffer->mark_read();
}

bool Read::ready() {
  if (!done_.ready() && source_ && due()) perform();
  return done_.ready();
}

void Read::wait() {
  if (!done_.ready() && source_) perform();
  done_.wait();
}

void Read::perform() {
  if (taken_.load(std::memory_order_relaxed)) return;
  std::exception_ptr error = source_->error();
  if (taken_.exchange(true, std::memory_order_acquire)) return;
  const BufferPtr buffer = std::move(buffer_);
  try {
    if (error) std::rethrow_exception(error);
    const metrics::Timer timer(metrics::transfer_from_device_time);
    const trace::Scope scope("copy", "read a result");
    const std::size_t bytes = buffer->type().bytes();
    metrics::inbound_data.add(bytes);
    if (buffer->has_elements_in_place()) {
      take({buffer->memory().device_address(), bytes});
    } else {
      take(buffer->copy());
    }
  } catch (...) {
    error = std::current_exception();
  }
  error ? done_.set_error(std::move(error)) : done_.set();
}

}  // namespace weft::runtime
