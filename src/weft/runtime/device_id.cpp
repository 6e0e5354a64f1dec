#include <weft/runtime/device_id.h>

#include <deque>
#include <mutex>
#include <utility>

#include <weft/base/error.h>

namespace weft::runtime {

namespace {

struct Identity {
  std::string kind;
  const MemorySpace* space;
};

// The identities of all devices of this process, by number. They are kept because buffers may outlive their device.
class Identities {
 public:
  static Identities& instance() {
    static auto* const identities = new Identities;  // never destroyed: buffers may be read until the process ends
    return *identities;
  }
  std::uint32_t add(Identity identity) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(identity));
    return all_.size();
  }
  const Identity& operator[](std::uint32_t number) const {
    const std::lock_guard lock(mutex_);
    return all_[number - 1];
  }

 private:
  mutable std::mutex mutex_;
  std::deque<Identity> all_;
};

}  // namespace

DeviceId DeviceId::next(std::string kind, const MemorySpace& space) {
  return DeviceId(Identities::instance().add({std::move(kind), &space}));
}

std::string DeviceId::text() const {
  if (number_ == 0) return "the host";
  return concat("device ", number_, " (", Identities::instance()[number_].kind, ")");
}

const MemorySpace& DeviceId::memory_space() const {
  return number_ == 0 ? MemorySpace::host() : *Identities::instance()[number_].space;
}

}  // namespace weft::runtime
