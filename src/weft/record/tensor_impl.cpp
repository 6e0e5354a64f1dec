#include <weft/record/tensor_impl.h>

#include <weft/record/recording.h>
#include <weft/runtime/node_pool.h>

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

void TensorImpl::destroy(TensorImpl* impl) { runtime::destroy_in_pool(impl); }

TensorPtr TensorPtr::of(runtime::BufferPtr buffer) {
  return TensorPtr(runtime::make_in_pool<TensorImpl>(std::move(buffer)));
}

}  // namespace weft::record
