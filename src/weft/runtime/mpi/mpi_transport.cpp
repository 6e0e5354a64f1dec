#include <weft/runtime/mpi/mpi_transport.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mpi.h>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>
#include <unistd.h>

#include <weft/base/error.h>
#include <weft/base/hash.h>
#include <weft/base/knobs.h>
#include <weft/base/trace.h>
#include <weft/runtime/exact_sleep.h>
#include <weft/runtime/rank_waits.h>

namespace weft::runtime {

namespace {

using Clock = std::chrono::steady_clock;

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  fail("MPI: ", call, ": ", text.data());
}

// Precedes the messages of an exchange from one rank to another.
struct Header {
  std::uint64_t exchange;  // counts all exchanges of a rank
  std::uint64_t digest;    // of the whole operation, of which the text below may be only the beginning
  std::array<char, sizeof(RankEntry::operation)> operation;
};

Header header_for(std::uint64_t exchange, std::string_view operation) {
  Header header{.exchange = exchange, .digest = hash_bytes(operation), .operation = {}};
  std::memcpy(header.operation.data(), operation.data(), std::min(operation.size(), header.operation.size() - 1));
  return header;
}

constexpr std::string_view advice =
    ". All ranks must run the same program on the same data: look for what depends on the rank, the time or the host";

enum Tag : int { header_tag, data_tag };

constexpr std::size_t most_bytes = std::size_t{1} << 30;  // of one call of MPI, which counts with int

// Waits by asking again and again: at first at once, for what comes soon; then rarely, because other ranks may need this CPU.
class Pause {
 public:
  void next() {
    if (Clock::now() - start_ < std::chrono::microseconds(20)) return;
    ::sched_yield();
    if (Clock::now() - start_ < std::chrono::microseconds(60)) return;
    sleep_exactly(Clock::now() + sleep_);
    sleep_ = std::min(sleep_ * 5 / 4, std::chrono::nanoseconds(std::chrono::microseconds(200)));
  }

 private:
  Clock::time_point start_ = Clock::now();
  std::chrono::nanoseconds sleep_ = std::chrono::microseconds(10);
};

class MpiTransport final : public Transport {
 public:
  MpiTransport();

  std::uint32_t rank() const override { return rank_; }
  std::uint32_t ranks() const override { return ranks_; }
  RankBoard& board() override { return board_; }
  void exchange(Channel channel, const Operation& operation, std::span<const Message> sends,
                std::span<const Message> receives) override;

 private:
  using Requests = std::vector<MPI_Request>;

  // An order of exchanges, each with messages of its own.
  struct Line {
    MPI_Comm comm = MPI_COMM_NULL;
    std::uint64_t exchanges = 0;
    bool has_failed = false;
  };
  // An exchange that waits.
  struct Wait {
    const Line& line;
    const Operation& operation;
    Clock::time_point deadline;
    std::unique_lock<std::mutex>& lock;
  };

  void deliver(Line& line, const Operation& operation, std::span<const Message> sends,
               std::span<const Message> receives, std::unique_lock<std::mutex>& lock);
  void open_board();
  void watch();
  void part(int status);
  template <class Done>
  void wait(const Wait& how, const std::vector<std::uint32_t>& awaited, Done&& done);
  [[noreturn]] void give_up(const Wait& how, std::span<const std::uint32_t> awaited);
  void kill_stuck();
  bool has_failed(std::uint32_t rank) const { return board_.find(rank)->state.load() == RankState::failed; }
  std::string end_of(std::uint32_t rank) const {
    return board_.describe_end(
        rank, has_failed(rank) ? "has ended with an error" : "was killed, or ended without an error message");
  }
  std::string descriptions(std::span<const std::uint32_t> ranks) const {
    std::string text;
    for (const std::uint32_t rank : ranks) text += concat(text.empty() ? "" : "; ", board_.describe(rank));
    return text;
  }
  void record_waits_for_own(const Operation& operation, std::span<const Message> sends) const;
  void record_wait(std::uint32_t waiting, std::uint32_t late, std::uint64_t since_ns, std::uint64_t step) const;
  static void post(bool sends, const Message& message, MPI_Comm comm, Requests& requests);
  void compare(const Header& own, const Header& other, std::uint32_t rank) const;

  std::mutex mutex_;           // MPI is called by one thread at a time; nobody waits while holding it
  std::array<Line, 2> lines_;  // by channel
  bool finalizes_ = false;     // MPI was not initialised by the program itself
  std::uint32_t rank_ = 0, ranks_ = 1;
  RankBoard board_;
  std::vector<std::string> waits_for_, waited_for_by_;  // the names of spans, by the other rank
  std::vector<std::uint32_t> stuck_;                    // ranks that others waited for too long
  std::atomic<std::int64_t> ended_ = -1;                // a rank that has ended although the job goes on
};

MpiTransport::MpiTransport() {
  int is_initialised = 0, threads = 0;
  check(MPI_Initialized(&is_initialised), "MPI_Initialized");
  if (is_initialised) {
    check(MPI_Query_thread(&threads), "MPI_Query_thread");
  } else {
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads), "MPI_Init_thread");
    finalizes_ = true;
  }
  require(threads >= MPI_THREAD_SERIALIZED,
          "MPI: it may be called by the main thread only; initialise it with MPI_THREAD_SERIALIZED");
  for (Line& line : lines_) {
    check(MPI_Comm_dup(MPI_COMM_WORLD, &line.comm), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(line.comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  int rank = 0, ranks = 0;
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size");
  rank_ = rank, ranks_ = ranks;
  for (std::uint32_t other = 0; other < ranks_; ++other) {
    waits_for_.push_back(RankWait{rank_, other}.name());
    waited_for_by_.push_back(RankWait{other, rank_}.name());
  }
  open_board();
  std::thread([this] { watch(); }).detach();  // ends with the other ranks, or with this process
  ::on_exit([](int status, void* transport) { static_cast<MpiTransport*>(transport)->part(status); }, this);
}

// Puts the board into memory that the ranks of this host share.
void MpiTransport::open_board() {
  MPI_Comm host = MPI_COMM_NULL;
  check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), "MPI_Comm_split_type");
  int own = 0, count = 0;
  check(MPI_Comm_rank(host, &own), "MPI_Comm_rank");
  check(MPI_Comm_size(host, &count), "MPI_Comm_size");
  RankBoard::Memory memory{};
  if (own == 0) memory = RankBoard::make_memory(count);
  check(MPI_Bcast(&memory, sizeof memory, MPI_BYTE, 0, host), "MPI_Bcast");
  board_ = RankBoard(RankBoard::open_memory(memory, count), own);
  board_.begin(rank_);
  check(MPI_Barrier(host), "MPI_Barrier");
}

void MpiTransport::watch() {
  trace::name_thread("weft ranks");
  RankWatch watch(board_, rank_);
  const auto ended = watch.wait();
  if (!ended) return;
  // At once, and not where the exchange fails: a launcher ends the other processes within milliseconds.
  if (!has_failed(*ended) && !board_.has_report() && board_.claim_report())
    std::fputs(concat("error: ", end_of(*ended), '\n').c_str(), stderr);
  ended_.store(*ended, std::memory_order_release);
}

// Called when the process exits. Ranks that end well wait for each other, because MPI ends a job in which one does not.
void MpiTransport::part(int status) {
  if (status != 0 && !board_.has_report() && board_.claim_report())
    std::fputs(concat("error: ", board_.describe_end(rank_, concat("ends with exit code ", status)), '\n').c_str(),
               stderr);
  kill_stuck();
  board_.end(status != 0);
  if (status != 0 || !finalizes_) return;
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(MPI_COMM_WORLD, &request) != MPI_SUCCESS) return;
  Pause pause;
  for (int is_done = 0; !is_done; pause.next()) {
    if (ended_.load(std::memory_order_acquire) >= 0) ::_exit(1);  // MPI_Finalize would wait for it
    if (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
  }
  MPI_Finalize();
}

template <class Done>
void MpiTransport::wait(const Wait& how, const std::vector<std::uint32_t>& awaited, Done&& done) {
  auto next_look = Clock::now() + std::chrono::milliseconds(250);
  for (Pause pause; !done();) {
    if (const std::int64_t ended = ended_.load(std::memory_order_acquire); ended >= 0)
      throw OtherRankError(concat(how.operation.text, ": ", end_of(static_cast<std::uint32_t>(ended))));
    if (const auto now = Clock::now(); now >= next_look) {
      next_look = now + std::chrono::milliseconds(250);
      board_.await(awaited);
      if (const auto stuck = board_.find_deadlock(); !stuck.empty())
        fail("the ranks wait for each other in different operations: ", descriptions(stuck), advice);
      if (now >= how.deadline) give_up(how, awaited);
    }
    how.lock.unlock();
    pause.next();
    how.lock.lock();
  }
}

void MpiTransport::give_up(const Wait& how, std::span<const std::uint32_t> awaited) {
  const std::string others = descriptions(awaited);
  (void)board_.claim_report();
  stuck_.insert(stuck_.end(), awaited.begin(), awaited.end());
  // Later, because launchers end this process within milliseconds of the other one, and it has an error to tell.
  std::thread([this] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    kill_stuck();
  }).detach();
  fail(how.operation.text, " (step ", how.operation.step, ", exchange ", how.line.exchanges, "): rank ", rank_,
       " waited for ", knobs::rank_deadline_s(), " s (WEFT_RANK_DEADLINE_S) for others: ", others);
}

// Not every launcher ends a process that is stopped, or that handles no signals.
void MpiTransport::kill_stuck() {
  const std::scoped_lock lock(mutex_);
  for (const std::uint32_t rank : stuck_) board_.kill_if_stuck(rank);
  stuck_.clear();
}

// Adds a span that ends now to the recording of this process.
void MpiTransport::record_wait(std::uint32_t waiting, std::uint32_t late, std::uint64_t since_ns,
                               std::uint64_t step) const {
  const std::uint64_t now = trace::now_ns();
  if (!is_worth_a_span(since_ns, now)) return;
  const std::string& name = waiting == rank_ ? waits_for_[late] : waited_for_by_[waiting];
  trace::add(rank_wait_category, name.c_str(), since_ns, now, step);
}

// Records for how long another rank of this host has waited for this one, which begins the operation now.
void MpiTransport::record_waits_for_own(const Operation& operation, std::span<const Message> sends) const {
  const RankEntry* first = nullptr;
  for (const Message& message : sends) {
    const RankEntry* const entry = board_.find(message.rank);
    if (!entry || entry->state.load(std::memory_order_acquire) != RankState::exchanging ||
        entry->step.load(std::memory_order_relaxed) != operation.step || !board_.is_in(*entry, operation.text))
      continue;
    if (!first || entry->since_ns.load() < first->since_ns.load()) first = entry;
  }
  if (first) record_wait(first->rank.load(), rank_, first->since_ns.load(), operation.step);
}

void MpiTransport::post(bool sends, const Message& message, MPI_Comm comm, Requests& requests) {
  for (std::size_t at = 0; at < message.bytes.size(); at += most_bytes) {
    const auto bytes = message.bytes.subspan(at, std::min(most_bytes, message.bytes.size() - at));
    const int count = static_cast<int>(bytes.size()), rank = static_cast<int>(message.rank);
    MPI_Request& request = requests.emplace_back();
    if (sends)
      check(MPI_Isend(bytes.data(), count, MPI_BYTE, rank, data_tag, comm, &request), "MPI_Isend");
    else
      check(MPI_Irecv(bytes.data(), count, MPI_BYTE, rank, data_tag, comm, &request), "MPI_Irecv");
  }
}

void MpiTransport::compare(const Header& own, const Header& other, std::uint32_t rank) const {
  if (own.exchange == other.exchange && own.digest == other.digest) return;
  fail("the ranks do different things: in its exchange ", own.exchange, ", rank ", rank_, " is in ",
       own.operation.data(), ", and in its exchange ", other.exchange, ", rank ", rank, " is in ",
       other.operation.data(), advice);
}

std::vector<std::uint32_t> ranks_of(std::span<const Transport::Message> messages) {
  std::vector<std::uint32_t> ranks;
  for (const Transport::Message& message : messages) ranks.push_back(message.rank);
  std::ranges::sort(ranks);
  const auto same = std::ranges::unique(ranks);
  ranks.erase(same.begin(), same.end());
  return ranks;
}

void MpiTransport::exchange(Channel channel, const Operation& operation, std::span<const Message> sends,
                            std::span<const Message> receives) {
  Line& line = lines_[static_cast<std::size_t>(channel)];
  std::unique_lock lock(mutex_);
  require(!line.has_failed, operation.text, ": an earlier exchange between the ranks has failed");
  ++line.exchanges;
  if (trace::enabled()) record_waits_for_own(operation, sends);
  board_.begin_exchange(operation.text, operation.detail, operation.step);
  try {
    deliver(line, operation, sends, receives, lock);
  } catch (const OtherRankError&) {
    line.has_failed = true;
    throw;
  } catch (...) {
    line.has_failed = true;       // messages of this exchange may still be under way
    (void)board_.claim_report();  // the error tells why the job ends
    throw;
  }
  board_.end_exchange();
}

void MpiTransport::deliver(Line& line, const Operation& operation, std::span<const Message> sends,
                           std::span<const Message> receives, std::unique_lock<std::mutex>& lock) {
  const std::chrono::duration<double> patience(knobs::rank_deadline_s());
  const Wait how{line, operation, Clock::now() + std::chrono::duration_cast<Clock::duration>(patience), lock};
  const std::vector<std::uint32_t> to = ranks_of(sends), from = ranks_of(receives);
  Header own = header_for(line.exchanges, operation.text);
  Requests requests;
  for (const std::uint32_t rank : to)
    check(
        MPI_Isend(&own, sizeof own, MPI_BYTE, static_cast<int>(rank), header_tag, line.comm, &requests.emplace_back()),
        "MPI_Isend");
  for (const Message& message : sends) post(true, message, line.comm, requests);

  // Data is received only from ranks that do the same.
  std::vector<Header> headers(from.size());
  Requests arrivals(from.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    check(MPI_Irecv(&headers[i], sizeof(Header), MPI_BYTE, static_cast<int>(from[i]), header_tag, line.comm,
                    &arrivals[i]),
          "MPI_Irecv");
  std::vector<std::uint32_t> missing = from;
  const std::uint64_t began_ns = trace::enabled() ? trace::now_ns() : 0;
  wait(how, missing, [&] {
    for (std::size_t i = 0; i < from.size(); ++i) {
      int has_come = 0;
      if (arrivals[i] == MPI_REQUEST_NULL) continue;
      check(MPI_Test(&arrivals[i], &has_come, MPI_STATUS_IGNORE), "MPI_Test");
      if (!has_come) continue;
      compare(own, headers[i], from[i]);
      std::erase(missing, from[i]);
      if (missing.empty()) record_wait(rank_, from[i], began_ns, operation.step);
      for (const Message& message : receives)
        if (message.rank == from[i]) post(false, message, line.comm, requests);
    }
    return missing.empty();
  });
  wait(how, to, [&] {
    int is_done = 0;
    check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &is_done, MPI_STATUSES_IGNORE),
          "MPI_Testall");
    return is_done != 0;
  });
}

}  // namespace

}  // namespace weft::runtime

weft::runtime::Transport* weft_make_mpi_transport() { return new weft::runtime::MpiTransport; }
