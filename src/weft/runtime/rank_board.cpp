#include <weft/runtime/rank_board.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <poll.h>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <weft/base/error.h>

namespace weft::runtime {

namespace {

std::uint64_t host_now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Returns the system's word for the state of a process: the letter behind its name in /proc/PID/stat.
char system_state(pid_t process) {
  std::ifstream file(concat("/proc/", process, "/stat"));
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && name_end + 2 < text.size() ? text[name_end + 2] : 'X';
}

bool is_stopped(char system) { return system == 'T' || system == 't'; }

std::string_view text_of(RankState state, char system) {
  if (is_stopped(system)) return "stopped (SIGSTOP or a debugger)";
  switch (system) {
    case 'D': return "waiting for a disk";
    case 'Z':
    case 'X': return "dead";
    default: break;
  }
  switch (state) {
    case RankState::computing: return "computing";
    case RankState::exchanging: return "waiting in an exchange";
    case RankState::ended: return "ended";
    case RankState::failed: return "ended with an error";
  }
  return "";
}

std::string last_exchange(const RankEntry& entry, std::string_view led_by) {
  const std::uint64_t exchanges = entry.exchanges.load(std::memory_order_relaxed);
  if (exchanges == 0) return ", before its first exchange";
  std::array<char, sizeof entry.operation> operation = entry.operation;  // may be torn while the rank writes it
  operation.back() = 0;
  return concat(led_by, operation.data(), " (step ", entry.step.load(std::memory_order_relaxed), ", exchange ",
                exchanges, ')');
}

}  // namespace

RankBoard::Memory RankBoard::make_memory(std::size_t count) {
  const int descriptor = ::memfd_create("weft ranks", MFD_CLOEXEC);
  require(descriptor >= 0 && ::ftruncate(descriptor, static_cast<off_t>(count * sizeof(RankEntry))) == 0,
          "cannot share memory with other processes: ", std::strerror(errno));
  return {::getpid(), descriptor};  // never closed: other processes open it by this number
}

std::span<RankEntry> RankBoard::open_memory(const Memory& memory, std::size_t count) {
  const std::string path = concat("/proc/", memory.process, "/fd/", memory.descriptor);
  const Descriptor descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  void* const at =
      ::mmap(nullptr, count * sizeof(RankEntry), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.number(), 0);
  require(at != MAP_FAILED, "cannot share memory with process ", memory.process, ": ", std::strerror(errno));
  return {static_cast<RankEntry*>(at), count};  // zeros are valid entries
}

void RankBoard::enter(RankState state) {
  own().since_ns.store(host_now_ns(), std::memory_order_relaxed);
  own().state.store(state, std::memory_order_release);
}

void RankBoard::begin(std::uint32_t rank) {
  own().rank.store(rank, std::memory_order_relaxed);
  own().process.store(::getpid(), std::memory_order_relaxed);
  enter(RankState::computing);
}

void RankBoard::begin_exchange(std::string_view operation, std::string_view detail, std::uint64_t step) {
  const std::string whole = detail.empty() ? std::string(operation) : concat(operation, ", ", detail);
  auto& text = own().operation;
  const std::size_t length = std::min(whole.size(), text.size() - 1);
  std::memcpy(text.data(), whole.data(), length);
  text[length] = 0;
  own().step.store(step, std::memory_order_relaxed);
  own().exchanges.fetch_add(1, std::memory_order_relaxed);
  enter(RankState::exchanging);
}

void RankBoard::await(std::span<const std::uint32_t> ranks) {
  std::array<std::uint64_t, RankEntry::most_awaited / 64> bits{};
  for (const std::uint32_t rank : ranks)
    if (rank < RankEntry::most_awaited) bits[rank / 64] |= std::uint64_t{1} << rank % 64;
  for (std::size_t i = 0; i < bits.size(); ++i) own().awaited[i].store(bits[i], std::memory_order_relaxed);
}

std::vector<std::uint32_t> RankBoard::find_deadlock() const {
  constexpr std::uint64_t settled_ns = 500'000'000;  // a message may be under way before that
  const std::uint64_t now = host_now_ns();
  std::vector<std::uint32_t> found{entries_[own_].rank.load(std::memory_order_relaxed)};
  for (std::size_t next = 0; next < found.size(); ++next) {
    const RankEntry* const entry = find(found[next]);
    if (!entry) return {};
    const RankState state = entry->state.load(std::memory_order_acquire);
    if (state == RankState::ended) continue;
    if (state != RankState::exchanging || now - entry->since_ns.load(std::memory_order_relaxed) < settled_ns) return {};
    for (std::uint32_t rank = 0; rank < RankEntry::most_awaited; ++rank)
      if (entry->awaited[rank / 64].load(std::memory_order_relaxed) >> rank % 64 & 1 &&
          std::ranges::find(found, rank) == found.end())
        found.push_back(rank);
  }
  return found.size() > 1 ? found : std::vector<std::uint32_t>();
}

bool RankBoard::is_in(const RankEntry& entry, std::string_view operation) {
  const std::array<char, sizeof entry.operation> known = entry.operation;  // may be torn while the rank writes it
  const std::string_view begun(known.data(), ::strnlen(known.data(), known.size()));
  operation = operation.substr(0, known.size() - 1);
  return begun.starts_with(operation) && (begun.size() == operation.size() || begun[operation.size()] == ',');
}

void RankBoard::end_exchange() { enter(RankState::computing); }

void RankBoard::end(bool failed) { enter(failed ? RankState::failed : RankState::ended); }

bool RankBoard::claim_report() {
  if (entries_.empty()) return true;
  const std::uint32_t claim = entries_[own_].rank.load(std::memory_order_relaxed) + 1;
  std::uint32_t before = 0;
  return entries_[0].teller.compare_exchange_strong(before, claim, std::memory_order_acq_rel) || before == claim;
}

bool RankBoard::has_report() const {
  return !entries_.empty() && entries_[0].teller.load(std::memory_order_acquire) != 0;
}

void RankBoard::await_report() const {
  for (int i = 0; i < 1000 && !has_report(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void RankBoard::kill_if_stuck(std::uint32_t rank) const {
  const RankEntry* const entry = find(rank);
  if (!entry) return;
  const pid_t process = entry->process.load(std::memory_order_relaxed);
  const bool is_computing = entry->state.load(std::memory_order_acquire) == RankState::computing;
  if (is_computing || is_stopped(system_state(process))) ::kill(process, SIGKILL);
}

const RankEntry* RankBoard::find(std::uint32_t rank) const {
  const auto found = std::ranges::find_if(
      entries_, [&](const RankEntry& entry) { return entry.rank.load(std::memory_order_relaxed) == rank; });
  return found == entries_.end() ? nullptr : &*found;
}

std::string RankBoard::describe(std::uint32_t rank) const {
  const RankEntry* const entry = find(rank);
  if (!entry) return concat("rank ", rank, " (on another host)");
  const RankState state = entry->state.load(std::memory_order_acquire);
  const pid_t process = entry->process.load(std::memory_order_relaxed);
  const std::uint64_t since = entry->since_ns.load(std::memory_order_relaxed), now = host_now_ns();
  std::string text = concat("rank ", rank, " (process ", process, ") is ", text_of(state, system_state(process)));
  if (now > since) text += concat(" for ", (now - since + 50'000'000) / 100'000'000 / 10.0, " s");
  return text + last_exchange(*entry, state == RankState::exchanging ? ": " : ", after ");
}

std::string RankBoard::describe_end(std::uint32_t rank, std::string_view how) const {
  const RankEntry& entry = *find(rank);
  const RankState state = entry.state.load(std::memory_order_acquire);
  return concat("rank ", rank, " (process ", entry.process.load(std::memory_order_relaxed), ") ", how, ". It was ",
                text_of(state, 'S'), last_exchange(entry, state == RankState::exchanging ? ": " : ", after "));
}

RankWatch::RankWatch(const RankBoard& board, std::uint32_t own) {
  for (const RankEntry& entry : board.entries()) {
    if (entry.rank.load(std::memory_order_relaxed) == own) continue;
    const pid_t process = entry.process.load(std::memory_order_relaxed);
    processes_.push_back({&entry, Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)))});
  }
}

std::optional<std::uint32_t> RankWatch::wait() {
  while (!processes_.empty()) {
    std::vector<pollfd> ends;
    for (const Process& process : processes_)
      ends.push_back({.fd = process.descriptor.number(), .events = POLLIN, .revents = 0});
    if (::poll(ends.data(), ends.size(), -1) < 0 && errno != EINTR) return std::nullopt;
    for (std::size_t i = ends.size(); i-- > 0;) {
      if (ends[i].revents == 0) continue;
      const RankEntry& entry = *processes_[i].entry;
      if (entry.state.load(std::memory_order_acquire) != RankState::ended) return entry.rank;
      processes_.erase(processes_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return std::nullopt;
}

}  // namespace weft::runtime
