#include <array>
#include <bit>
#include <cstring>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <weft/compiler/thunks/exchange.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

namespace {

constexpr std::int64_t grain_bytes = 1 << 16;  // for a thread
constexpr std::int64_t widest_element = 8;
// Up to this size, every process gets all operands and folds them itself, because a second round of messages would take longer.
constexpr std::int64_t few_bytes = 1 << 14;

// Results that are larger than the caches are written past them: writing through a cache would first read what is overwritten.
bool bypasses_caches(std::int64_t bytes) { return bytes > std::int64_t{16} << 20; }

void store_past_caches(std::byte* to, const std::byte* from, std::int64_t bytes) {
#ifdef __SSE2__
  if (reinterpret_cast<std::uintptr_t>(to) % sizeof(__m128i) == 0) {
    constexpr std::int64_t step = sizeof(__m128i);
    for (; bytes >= step; bytes -= step, from += step, to += step)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
#endif
  std::memcpy(to, from, bytes);
}

// To be called by a thread after it stored past the caches, before another thread is told that the results are there.
void end_stores_past_caches() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

// Consecutive elements of a part, in one row of its block.
struct Piece {
  std::int64_t row, start;  // `start` counts from the begin of the row
  std::int64_t element;     // counts from the begin of the part
  std::int64_t count;
};

class Reduce final : public Exchange {
 public:
  Reduce(std::shared_ptr<const TreeFold> fold, Receivers receivers, Block block, std::int64_t from_step,
         std::int64_t width)
      : fold_(std::move(fold)), receivers_(receivers), block_(std::move(block)), from_step_(from_step), width_(width) {}

  void run(const Members& from, const Members& to, std::size_t root) const override;
  std::unique_ptr<Transfer> transfer(const Members& from, const Members& to, std::size_t root) const override;

 private:
  class Across;

  // Calls `each(piece, buffers)` on all threads, for pieces of the elements [begin, end) of a part.
  template <class Each>
  void for_each_piece(std::int64_t begin, std::int64_t end, std::int64_t arrays, Each&& each) const;
  void fold(std::int64_t part, const Piece& piece, const Members& from, const Members& to, std::size_t root,
            TreeFold::Buffers& buffers) const;
  const std::byte* operand_at(const Members& from, std::size_t member, std::int64_t part, const Piece& piece) const {
    return from.at[member] + (part * from_step_ + block_.of_row(piece.row).from + piece.start) * width_;
  }

  std::shared_ptr<const TreeFold> fold_;
  Receivers receivers_;
  Block block_;
  std::int64_t from_step_, width_;
};

template <class Each>
void Reduce::for_each_piece(std::int64_t begin, std::int64_t end, std::int64_t arrays, Each&& each) const {
  const std::int64_t longest = std::min(TreeFold::most_elements, block_.run());
  const std::int64_t per_row = (block_.run() + longest - 1) / std::max<std::int64_t>(longest, 1);
  if (end <= begin) return;
  const auto piece_of = [&](std::int64_t element) {
    return element / block_.run() * per_row + element % block_.run() / longest;
  };
  const std::int64_t first = piece_of(begin), last = piece_of(end - 1);
  runtime::parallel_for(last + 1 - first, grain_bytes / std::max<std::int64_t>(longest * width_ * arrays, 1),
                        [&](std::int64_t from, std::int64_t to) {
                          TreeFold::Buffers buffers;
                          for (std::int64_t i = first + from; i < first + to; ++i) {
                            const std::int64_t row = i / per_row, start = i % per_row * longest;
                            const std::int64_t at = row * block_.run() + start;
                            const std::int64_t lo = std::max(at, begin);
                            const std::int64_t hi = std::min({at + longest, (row + 1) * block_.run(), end});
                            if (lo < hi) each(Piece{row, start + lo - at, lo, hi - lo}, buffers);
                          }
                          end_stores_past_caches();
                        });
}

void Reduce::run(const Members& from, const Members& to, std::size_t root) const {
  const std::int64_t parts = receivers_ == Receivers::one_part_each ? std::ssize(from.at) : 1;
  for (std::int64_t part = 0; part < parts; ++part)
    for_each_piece(0, block_.elements(), std::ssize(from.at),
                   [&](const Piece& piece, TreeFold::Buffers& buffers) { fold(part, piece, from, to, root, buffers); });
}

void Reduce::fold(std::int64_t part, const Piece& piece, const Members& from, const Members& to, std::size_t root,
                  TreeFold::Buffers& buffers) const {
  std::vector<const std::byte*> arrays;
  for (std::size_t member = 0; member < from.size(); ++member) arrays.push_back(operand_at(from, member, part, piece));
  const std::size_t receiver = receivers_ == Receivers::one_part_each ? part : root;
  const std::int64_t offset = (block_.of_row(piece.row).to + piece.start) * width_, bytes = piece.count * width_;
  if (receivers_ != Receivers::all) return fold_->run(arrays, to.at[receiver] + offset, piece.count, buffers);
  std::array<std::byte, TreeFold::most_elements * widest_element> result;
  fold_->run(arrays, result.data(), piece.count, buffers);
  const bool bypasses = bypasses_caches(static_cast<std::int64_t>(to.size()) * block_.run() * width_);
  for (std::byte* const member : to.at) {
    if (bypasses)
      store_past_caches(member + offset, result.data(), bytes);
    else
      std::memcpy(member + offset, result.data(), bytes);
  }
}

// Each part, or each share of a part that all receive, is folded by one process, which gets its elements from the others. A process whose
// members are a subtree of the fold sends their partial result, otherwise one array for each of its members.
class Reduce::Across final : public Transfer {
 public:
  Across(const Reduce& rule, const Members& from, const Members& to, std::size_t root)
      : rule_(rule), from_(from), to_(to), processes_(from.processes()), sends_partials_(are_subtrees(from)) {
    plan(root);
  }

  void post_parts(runtime::Mail& mail) override {
    for (Share& share : shares_) {
      const bool folds_here = share.rank == mail.rank();
      if (sends_partials_ && has_local(from_)) share.own = fold_own(mail, share);
      for (std::size_t a = 0; a < arrays(); ++a) {
        const std::uint32_t rank = rank_of(a);
        if (folds_here) {
          share.arrived.push_back(nullptr);
          if (rank == mail.rank()) continue;
          share.arrived.back() = mail.space(share.count * array_width());
          mail.receive(rank, share.arrived.back(), share.count * array_width());
        } else if (rank == mail.rank()) {
          mail.send(share.rank, share.own ? share.own : packed(mail, share, a), share.count * array_width());
        }
      }
    }
  }

  void post_results(runtime::Mail& mail) override {
    for (const Share& share : shares_)
      if (share.rank == mail.rank()) fold(share);
    if (!is_gathered_) return;
    std::byte* const result = to_.at[*to_.first_local()];
    for (const Share& share : shares_) {
      std::byte* const at = result + share.begin * rule_.width_;
      const std::size_t bytes = share.count * rule_.width_;
      if (share.rank != mail.rank()) {
        mail.receive(share.rank, at, bytes);
        continue;
      }
      for (const std::uint32_t rank : to_.processes())
        if (rank != mail.rank()) mail.send(rank, at, bytes);
    }
  }

  void finish() override {
    if (rule_.receivers_ != Receivers::all || !has_local(to_)) return;
    const std::size_t first = *to_.first_local();
    for (std::size_t r = first + 1; r < to_.size(); ++r)
      if (to_.at[r]) std::memcpy(to_.at[r], to_.at[first], rule_.block_.elements() * rule_.width_);
  }

 private:
  // Elements that one process folds.
  struct Share {
    std::uint32_t rank;
    std::int64_t part, begin, count;       // the elements [begin, begin + count) of the part
    std::size_t receiver;                  // the member that gets the result
    const std::byte* own = nullptr;        // the partial result of this process's members
    std::vector<std::byte*> arrived = {};  // by array; null for those of this process
  };

  static bool has_local(const Members& members) { return members.first_local().has_value(); }

  // Returns whether the members of each process are a subtree of the fold: equally many neighbours in each, a power of two.
  static bool are_subtrees(const Members& from) {
    const std::size_t processes = from.processes().size(), each = from.size() / processes;
    if (each * processes != from.size() || !std::has_single_bit(each)) return false;
    for (std::size_t m = 0; m < from.size(); ++m)
      if (from.ranks[m] != from.ranks[m / each * each]) return false;
    return each > 1;
  }

  void plan(std::size_t root) {
    const std::int64_t elements = rule_.block_.elements();
    if (rule_.receivers_ == Receivers::one_part_each) {
      for (std::size_t r = 0; r < to_.size(); ++r) add(to_.ranks[r], r, 0, elements, r);
    } else if (rule_.receivers_ == Receivers::root) {
      add(to_.ranks[root], 0, 0, elements, root);
    } else if (elements * rule_.width_ <= few_bytes) {
      for (const std::uint32_t rank : processes_) add(rank, 0, 0, elements, first_of(rank));
    } else {
      is_gathered_ = true;
      const std::int64_t count = std::ssize(processes_), unit = 64;  // elements of a share, for aligned vectors
      const std::int64_t units = (elements + unit - 1) / unit;
      for (std::int64_t p = 0; p < count; ++p) {
        const std::int64_t begin = std::min(units * p / count * unit, elements);
        const std::int64_t end = std::min(units * (p + 1) / count * unit, elements);
        add(processes_[p], 0, begin, end - begin, first_of(processes_[p]));
      }
    }
  }
  void add(std::uint32_t rank, std::int64_t part, std::int64_t begin, std::int64_t count, std::size_t receiver) {
    shares_.push_back({.rank = rank, .part = part, .begin = begin, .count = count, .receiver = receiver});
  }
  std::size_t first_of(std::uint32_t rank) const { return std::ranges::find(to_.ranks, rank) - to_.ranks.begin(); }

  // The arrays that are folded: a partial result of each process, or the operand of each member.
  std::size_t arrays() const { return sends_partials_ ? processes_.size() : from_.size(); }
  std::uint32_t rank_of(std::size_t array) const { return sends_partials_ ? processes_[array] : from_.ranks[array]; }
  std::int64_t array_width() const { return sends_partials_ ? rule_.fold_->partial_width() : rule_.width_; }

  const std::byte* fold_own(runtime::Mail& mail, const Share& share) const {
    const std::int64_t width = array_width();
    std::byte* const result = mail.space(share.count * width);
    for_each_piece_of(share, [&](const Piece& piece, TreeFold::Buffers& buffers) {
      std::vector<const std::byte*> operands;
      for (std::size_t m = 0; m < from_.size(); ++m)
        if (from_.at[m]) operands.push_back(rule_.operand_at(from_, m, share.part, piece));
      rule_.fold_->run_first(operands, result + (piece.element - share.begin) * width, piece.count, buffers);
    });
    return result;
  }

  // Returns the elements of an operand in their order.
  const std::byte* packed(runtime::Mail& mail, const Share& share, std::size_t member) const {
    const Piece all{.row = 0, .start = share.begin, .element = share.begin, .count = share.count};
    if (rule_.block_.rows() == 1) return rule_.operand_at(from_, member, share.part, all);
    std::byte* const copy = mail.space(share.count * rule_.width_);
    for_each_piece_of(share, [&](const Piece& piece, TreeFold::Buffers&) {
      std::memcpy(copy + (piece.element - share.begin) * rule_.width_,
                  rule_.operand_at(from_, member, share.part, piece), piece.count * rule_.width_);
    });
    return copy;
  }

  void fold(const Share& share) const {
    for_each_piece_of(share, [&](const Piece& piece, TreeFold::Buffers& buffers) {
      std::vector<const std::byte*> operands;
      for (std::size_t a = 0; a < arrays(); ++a) {
        const std::byte* const arrived = share.arrived[a] ? share.arrived[a] : share.own;
        operands.push_back(arrived ? arrived + (piece.element - share.begin) * array_width()
                                   : rule_.operand_at(from_, a, share.part, piece));
      }
      std::byte* const result =
          to_.at[share.receiver] + (rule_.block_.of_row(piece.row).to + piece.start) * rule_.width_;
      if (sends_partials_)
        rule_.fold_->run_second(operands, result, piece.count, buffers);
      else
        rule_.fold_->run(operands, result, piece.count, buffers);
    });
  }

  template <class Each>
  void for_each_piece_of(const Share& share, Each&& each) const {
    rule_.for_each_piece(share.begin, share.begin + share.count, std::ssize(from_.at), std::forward<Each>(each));
  }

  const Reduce& rule_;
  const Members &from_, &to_;
  const std::vector<std::uint32_t> processes_;
  const bool sends_partials_;
  bool is_gathered_ = false;  // all receive the shares of all
  std::vector<Share> shares_;
};

std::unique_ptr<Transfer> Reduce::transfer(const Members& from, const Members& to, std::size_t root) const {
  return std::make_unique<Across>(*this, from, to, root);
}

}  // namespace

std::unique_ptr<const Exchange> reduce_exchange(std::shared_ptr<const TreeFold> fold, Receivers receivers, Block block,
                                                std::int64_t from_step, std::int64_t width) {
  return std::make_unique<Reduce>(std::move(fold), receivers, std::move(block), from_step, width);
}

}  // namespace weft::compiler
