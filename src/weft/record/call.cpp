#include <weft/record/call.h>

namespace weft::record {

void Call::left_by_exception() const {
  if (recording_.is_outermost_call()) session.observer->refused(function_, recording_.place_of_call());
}

}  // namespace weft::record
