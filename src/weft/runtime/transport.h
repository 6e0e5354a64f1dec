// A Transport carries bytes between the ranks (processes) of a job. It moves bytes only: what is added up, weft adds up itself, so
// that results do not depend on the transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <weft/runtime/rank_board.h>

namespace weft::runtime {

class Transport {
 public:
  // The bytes that go to a rank, or come from it.
  struct Message {
    std::uint32_t rank;
    std::span<std::byte> bytes;
  };

  // What ranks do together.
  struct Operation {
    std::string_view
        text;  // the same on all ranks, with everything that must agree: "all_reduce.3 f32[8] from train.cpp:58"
    std::uint64_t step = 0;        // the launch, for messages
    std::string_view detail = {};  // for messages only
  };

  // Exchanges of different channels do not wait for each other, and need no common order.
  enum class Channel : std::uint8_t {
    device,  // what programs exchange
    host,    // what the hosts agree on before
  };

  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  virtual std::uint32_t rank() const = 0;   // of this process
  virtual std::uint32_t ranks() const = 0;  // how many there are

  // Sends and receives the messages, and returns when all of them have arrived. The messages from one rank to another arrive in the
  // order in which they are given. All ranks call this for the same operations in the same order, on each channel. Throws Error if a rank from which
  // messages come calls it for another operation, naming both; if a rank has ended; and if a rank does not come within the deadline (the
  // knob rank_deadline_s), naming what it does instead. One thread at a time for each channel.
  virtual void exchange(Channel channel, const Operation& operation, std::span<const Message> sends,
                        std::span<const Message> receives) = 0;

  // What the ranks of this host tell each other beside their messages.
  virtual RankBoard& board() = 0;
};

}  // namespace weft::runtime
