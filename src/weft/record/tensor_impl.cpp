#include <weft/record/tensor_impl.h>

#include <weft/record/pool.h>
#include <weft/record/recording.h>

namespace weft::record {

TensorImpl::~TensorImpl() {
  if (recording) Recording::unlink(*this);
  if (buffer) buffer->remove_holder();
}

std::uint64_t TensorImpl::give_identity() const {
  static constinit std::atomic<std::uint64_t> last = 0;
  std::uint64_t known = 0;
  const std::uint64_t mine = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return identity_.compare_exchange_strong(known, mine, std::memory_order_relaxed) ? mine : known;
}

void TensorImpl::destroy(TensorImpl* impl) { Pool<TensorImpl>::destroy(impl); }

TensorPtr TensorPtr::of(runtime::BufferPtr buffer) { return TensorPtr(Pool<TensorImpl>::make(std::move(buffer))); }

}  // namespace weft::record
