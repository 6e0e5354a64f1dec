#include <weft/record/wrong_device.h>

#include <weft/base/error.h>
#include <weft/record/sync.h>

namespace weft::record {

void fail_on_wrong_device(const std::string& what, const runtime::Buffer& buffer) {
  fail(what, ", ", buffer.type(), ", is on ", buffer.device().text(), ", and this thread launches on ",
       device().id().text(),
       ": choose that device with set_device, or copy the tensor to this one, from_bytes(x.bytes(), x.type())");
}

}  // namespace weft::record
