// How the members of a group exchange one operand of a collective. Members are logical devices, some of which may be in other processes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <weft/compiler/thunks/tree_fold.h>
#include <weft/runtime/mail.h>

namespace weft::compiler {

// A block of an array that lies in another array of the same rank, or is cut out of one. It consists of runs that are contiguous on both
// sides. Sizes, strides and offsets are in elements.
class Block {
 public:
  Block(std::span<const std::int64_t> sizes, std::span<const std::int64_t> from, std::span<const std::int64_t> to);

  std::int64_t run() const { return run_; }
  std::int64_t rows() const { return rows_; }  // the number of runs
  std::int64_t elements() const { return run_ * rows_; }
  struct Offsets {
    std::int64_t from, to;
  };
  Offsets of_row(std::int64_t row) const;

 private:
  struct Axis {
    std::int64_t size, from_stride, to_stride;
  };
  std::vector<Axis> axes_;  // the minor ones first
  std::int64_t run_ = 1, rows_ = 1;
};

// The members that give an operand or get a result, in the order of the group.
struct Members {
  std::vector<std::byte*> at;        // the operands or results; null for those of other processes
  std::vector<std::uint32_t> ranks;  // the processes

  std::size_t size() const { return at.size(); }
  // Returns the first member of this process.
  std::optional<std::size_t> first_local() const {
    const auto found = std::ranges::find_if(at, [](const std::byte* address) { return address != nullptr; });
    return found == at.end() ? std::nullopt : std::optional<std::size_t>(found - at.begin());
  }
  // Returns the processes, each once, in the order of their first members.
  std::vector<std::uint32_t> processes() const;
};

// An exchange with other processes, in two rounds of messages.
class Transfer {
 public:
  Transfer() = default;
  virtual ~Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  virtual void post_parts(runtime::Mail& mail) = 0;
  virtual void post_results(runtime::Mail&) {}  // made of the parts that have arrived
  virtual void finish() = 0;
};

class Exchange {
 public:
  Exchange() = default;
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // For members that are all in this process. `root` is the position of the root, for ops that have one.
  virtual void run(const Members& from, const Members& to, std::size_t root) const = 0;
  // For members of which some are in other processes. The members must outlive the transfer.
  virtual std::unique_ptr<Transfer> transfer(const Members& from, const Members& to, std::size_t root) const = 0;
};

// Copies a part of each member's operand to each member: the part that member m gives to member r begins at r * from_step in its operand,
// and at m * to_step in the result. `width` is the size of an element in bytes.
std::unique_ptr<const Exchange> move_exchange(Block block, std::int64_t from_step, std::int64_t to_step,
                                              std::int64_t width);

// Copies the operand of the root to all that receive.
std::unique_ptr<const Exchange> broadcast_exchange(std::uint64_t bytes);

// Folds the operands, or the same part of each of them. Part r begins at r * from_step; there is a single part unless each member receives
// one.
enum class Receivers : std::uint8_t { all, root, one_part_each };
std::unique_ptr<const Exchange> reduce_exchange(std::shared_ptr<const TreeFold> fold, Receivers receivers, Block block,
                                                std::int64_t from_step, std::int64_t width);

}  // namespace weft::compiler
