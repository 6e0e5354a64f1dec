#include <cstring>
#include <utility>

#include <weft/compiler/thunks/exchange.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

namespace {

constexpr std::int64_t grain_bytes = 1 << 16;  // for a thread

class Move final : public Exchange {
 public:
  Move(Block block, std::int64_t from_step, std::int64_t to_step, std::int64_t width)
      : block_(std::move(block)), from_step_(from_step), to_step_(to_step), width_(width) {}

  void run(const Members& from, const Members& to, std::size_t root) const override;
  std::unique_ptr<Transfer> transfer(const Members& from, const Members& to, std::size_t root) const override;

 private:
  class Across;

  // The part that member m gives to member r.
  const std::byte* part_of(const Members& from, std::size_t m, std::size_t r) const {
    return from.at[m] + static_cast<std::int64_t>(r) * from_step_ * width_;
  }
  std::byte* place_of(const Members& to, std::size_t m, std::size_t r) const {
    return to.at[r] + static_cast<std::int64_t>(m) * to_step_ * width_;
  }
  std::int64_t part_bytes() const { return block_.elements() * width_; }
  // Every member gets the same part.
  bool gives_all() const { return from_step_ == 0; }

  // Both skip members of other processes.
  void copy_row(const Members& from, const Members& to, std::size_t m, std::size_t r, std::int64_t row) const {
    if (!from.at[m] || !to.at[r]) return;
    const auto at = block_.of_row(row);
    std::memcpy(place_of(to, m, r) + at.to * width_, part_of(from, m, r) + at.from * width_, block_.run() * width_);
  }
  void copy(const Members& from, const Members& to) const;

  Block block_;
  std::int64_t from_step_, to_step_, width_;
};

void Move::copy(const Members& from, const Members& to) const {
  const std::int64_t members = std::ssize(from.at), bytes = block_.run() * width_;
  runtime::parallel_for(members * members * block_.rows(), grain_bytes / std::max<std::int64_t>(bytes, 1),
                        [&](std::int64_t begin, std::int64_t end) {
                          for (std::int64_t i = begin; i < end; ++i) {
                            const std::int64_t pair = i / block_.rows();
                            copy_row(from, to, pair % members, pair / members, i % block_.rows());
                          }
                        });
}

void Move::run(const Members& from, const Members& to, std::size_t) const { copy(from, to); }

// A part travels as its elements in their order.
class Move::Across final : public Transfer {
 public:
  Across(const Move& rule, const Members& from, const Members& to) : rule_(rule), from_(from), to_(to) {}

  void post_parts(runtime::Mail& mail) override {
    for (std::size_t m = 0; m < from_.size(); ++m) {
      if (from_.at[m]) {
        for_each_message(mail, [&](std::size_t r, bool is_here) {
          if (!is_here) mail.send(to_.ranks[r], packed(mail, m, r), rule_.part_bytes());
        });
      } else {
        for_each_message(mail, [&](std::size_t r, bool is_here) {
          if (!is_here) return;
          arrived_.push_back({m, r, mail.space(rule_.part_bytes())});
          mail.receive(from_.ranks[m], arrived_.back().bytes, rule_.part_bytes());
        });
      }
    }
  }

  void finish() override {
    rule_.copy(from_, to_);
    for (const Arrived& part : arrived_)
      for (std::size_t r = 0; r < to_.size(); ++r)
        if (to_.at[r] && (rule_.gives_all() || r == part.receiver)) unpack(part, r);
  }

 private:
  struct Arrived {
    std::size_t sender, receiver;
    std::byte* bytes;
  };

  // Calls `each(receiver, is in this process)` for the messages of one sender: one for each receiver, or, if all of them get the same, for
  // the first receiver of each process.
  template <class Each>
  void for_each_message(const runtime::Mail& mail, Each&& each) const {
    std::vector<std::uint32_t> done;
    for (std::size_t r = 0; r < to_.size(); ++r) {
      if (rule_.gives_all()) {
        if (std::ranges::find(done, to_.ranks[r]) != done.end()) continue;
        done.push_back(to_.ranks[r]);
      }
      each(r, to_.ranks[r] == mail.rank());
    }
  }

  const std::byte* packed(runtime::Mail& mail, std::size_t m, std::size_t r) const {
    const std::byte* const part = rule_.part_of(from_, m, r);
    if (rule_.block_.rows() == 1) return part;
    const std::int64_t bytes = rule_.block_.run() * rule_.width_;
    std::byte* at = mail.space(rule_.part_bytes());
    const std::byte* const begin = at;
    for (std::int64_t row = 0; row < rule_.block_.rows(); ++row, at += bytes)
      std::memcpy(at, part + rule_.block_.of_row(row).from * rule_.width_, bytes);
    return begin;
  }

  void unpack(const Arrived& part, std::size_t receiver) const {
    const std::int64_t bytes = rule_.block_.run() * rule_.width_;
    const std::byte* at = part.bytes;
    std::byte* const to = rule_.place_of(to_, part.sender, receiver);
    for (std::int64_t row = 0; row < rule_.block_.rows(); ++row, at += bytes)
      std::memcpy(to + rule_.block_.of_row(row).to * rule_.width_, at, bytes);
  }

  const Move& rule_;
  const Members &from_, &to_;
  std::vector<Arrived> arrived_;
};

std::unique_ptr<Transfer> Move::transfer(const Members& from, const Members& to, std::size_t) const {
  return std::make_unique<Across>(*this, from, to);
}

class Broadcast final : public Exchange {
 public:
  explicit Broadcast(std::uint64_t bytes) : bytes_(bytes) {}

  void run(const Members& from, const Members& to, std::size_t root) const override {
    for (std::byte* const result : to.at) std::memcpy(result, from.at[root], bytes_);
  }
  std::unique_ptr<Transfer> transfer(const Members& from, const Members& to, std::size_t root) const override {
    return std::make_unique<Across>(*this, from, to, root);
  }

 private:
  class Across final : public Transfer {
   public:
    Across(const Broadcast& rule, const Members& from, const Members& to, std::size_t root)
        : rule_(rule), from_(from), to_(to), root_(root) {}

    void post_parts(runtime::Mail& mail) override {
      const std::uint32_t root = from_.ranks[root_];
      for (const std::uint32_t rank : to_.processes()) {
        if (rank == root) continue;
        if (root == mail.rank()) mail.send(rank, from_.at[root_], rule_.bytes_);
        if (rank == mail.rank()) mail.receive(root, to_.at[*to_.first_local()], rule_.bytes_);
      }
    }
    void finish() override {
      const auto first = to_.first_local();
      if (!first) return;
      const std::byte* const source = from_.at[root_] ? from_.at[root_] : to_.at[*first];
      for (std::byte* const result : to_.at)
        if (result && result != source) std::memcpy(result, source, rule_.bytes_);
    }

   private:
    const Broadcast& rule_;
    const Members &from_, &to_;
    std::size_t root_;
  };

  std::uint64_t bytes_;
};

}  // namespace

std::unique_ptr<const Exchange> move_exchange(Block block, std::int64_t from_step, std::int64_t to_step,
                                              std::int64_t width) {
  return std::make_unique<Move>(std::move(block), from_step, to_step, width);
}

std::unique_ptr<const Exchange> broadcast_exchange(std::uint64_t bytes) { return std::make_unique<Broadcast>(bytes); }

}  // namespace weft::compiler
