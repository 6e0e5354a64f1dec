// The messages of one exchange between ranks, collected before they are sent together.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <weft/runtime/staging.h>
#include <weft/runtime/transport.h>

namespace weft::runtime {

class Mail {
 public:
  Mail(Transport& transport, Transport::Channel channel) : transport_(transport), channel_(channel) {}

  std::uint32_t rank() const { return transport_.rank(); }

  // The bytes must stay valid until deliver() returns. Ranks match messages between each other by the order of these calls.
  void send(std::uint32_t to, const std::byte* bytes, std::size_t count) {
    sends_.push_back({to, {const_cast<std::byte*>(bytes), count}});
  }
  void receive(std::uint32_t from, std::byte* bytes, std::size_t count) { receives_.push_back({from, {bytes, count}}); }

  // Returns memory for messages, which is valid as long as this object.
  std::byte* space(std::size_t bytes) { return staging_.take(bytes); }

  // Exchanges what was collected since the last call.
  void deliver(const Transport::Operation& operation) {
    if (!sends_.empty() || !receives_.empty()) transport_.exchange(channel_, operation, sends_, receives_);
    sends_.clear();
    receives_.clear();
  }

 private:
  Transport& transport_;
  Transport::Channel channel_;
  Staging staging_;
  std::vector<Transport::Message> sends_, receives_;
};

}  // namespace weft::runtime
