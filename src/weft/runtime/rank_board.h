// What each rank of a host tells the others, in memory that they share: how far it is, in which collective it waits, and whether it has
// ended. Written by a few stores for each collective and read by whoever waits for a rank, so that a rank that does not come can be named
// with what it does instead.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include <weft/base/error.h>
#include <weft/base/file.h>

namespace weft::runtime {

enum class RankState : std::uint32_t { computing, exchanging, ended, failed };

// The error of a process whose job ends because of another one, which tells the user why.
class OtherRankError : public Error {
 public:
  using Error::Error;
};

// One rank's part of the board. It lies in memory that processes share, so it holds no pointers.
struct RankEntry {
  std::atomic<std::uint32_t> rank;
  std::atomic<pid_t> process;
  std::atomic<RankState> state;
  std::atomic<std::uint64_t> exchanges;  // how many it has begun
  std::atomic<std::uint64_t> step;       // the launch to which the last exchange belongs
  std::atomic<std::uint64_t> since_ns;   // when its state began, on the clock of the host (CLOCK_MONOTONIC)
  std::atomic<std::uint32_t>
      teller;  // in the first entry only: one more than the rank that tells the user why the job ends
  std::array<char, 168> operation;  // the last exchange
  static constexpr std::uint32_t most_awaited = 1024;
  std::array<std::atomic<std::uint64_t>, most_awaited / 64>
      awaited;  // a bit for each rank for which the exchange waits
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share the board");

class RankBoard {
 public:
  // Memory that several processes of a host share, under a name by which they find it.
  struct Memory {
    pid_t process;
    int descriptor;
  };
  // Makes the memory of a board for `count` ranks. It lasts until the last process ends.
  static Memory make_memory(std::size_t count);
  static std::span<RankEntry> open_memory(const Memory& memory, std::size_t count);

  RankBoard() = default;
  // `entries` are the parts of this host's ranks; `own` is the index of this rank's. They must outlive the board.
  RankBoard(std::span<RankEntry> entries, std::size_t own) : entries_(entries), own_(own) {}

  // Write this rank's part.
  void begin(std::uint32_t rank);
  void begin_exchange(std::string_view operation, std::string_view detail, std::uint64_t step);
  void end_exchange();
  void await(std::span<const std::uint32_t> ranks);  // for which the exchange waits from now on
  void end(bool failed);

  // Returns true to the first rank of the host that asks: that one tells the user why the job ends.
  bool claim_report();
  bool has_report() const;  // a rank has claimed it
  // Waits until a rank has claimed the report, for at most a second.
  void await_report() const;

  // Describes what a rank does: "rank 3 (process 812) is computing for 5 s, after all_reduce.4 from train.cpp:58 (step 9, exchange 17)".
  std::string describe(std::uint32_t rank) const;
  // Describes the end of a rank that has not told it itself: how it ended, and what it did last.
  std::string describe_end(std::uint32_t rank, std::string_view how) const;
  // Returns whether the last operation that a rank has begun has this name.
  static bool is_in(const RankEntry& entry, std::string_view operation);
  // Returns the ranks that wait for each other, starting with this one, if none of them can go on: they do different things. Empty as long
  // as one of them may go on, and if one of them is on another host.
  std::vector<std::uint32_t> find_deadlock() const;
  // Kills a process of this host that is not in an exchange, or is stopped.
  void kill_if_stuck(std::uint32_t rank) const;
  const RankEntry* find(std::uint32_t rank) const;
  std::span<const RankEntry> entries() const { return entries_; }

 private:
  RankEntry& own() { return entries_[own_]; }
  void enter(RankState state);

  std::span<RankEntry> entries_;
  std::size_t own_ = 0;
};

// Watches the processes of the other ranks of a host.
class RankWatch {
 public:
  // Opens the processes of all entries but the one of `own`.
  RankWatch(const RankBoard& board, std::uint32_t own);
  // Waits until a rank's process ends that has not said that it ends well, and returns that rank; nullopt once all have ended well.
  std::optional<std::uint32_t> wait();

 private:
  struct Process {
    const RankEntry* entry;
    Descriptor descriptor;
  };
  std::vector<Process> processes_;
};

}  // namespace weft::runtime
