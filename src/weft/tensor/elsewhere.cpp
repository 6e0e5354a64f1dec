#include <weft/tensor/elsewhere.h>

#include <weft/base/error.h>
#include <weft/tensor/sync.h>

namespace weft::detail {

void fail_elsewhere(const std::string& what, const runtime::Buffer& buffer) {
  fail(what, ", ", buffer.type(), ", is of ", buffer.device().text(), ", and this thread launches on ",
       device().id().text(),
       ": choose that device with set_device, or copy the tensor to this one, from_bytes(x.bytes(), x.type())");
}

}  // namespace weft::detail
