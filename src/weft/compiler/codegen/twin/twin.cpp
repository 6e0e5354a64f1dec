#include <weft/compiler/codegen/twin/twin.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <weft/base/error.h>
#include <weft/compiler/codegen/twin/fibers.h>
#include <weft/compiler/codegen/twin/matrices.h>

namespace weft::compiler::twin {

namespace {

constexpr std::uint32_t most_threads = 1024, most_shared_bytes = 227 * 1024;

std::atomic<std::uint64_t> chosen_seed = 1, launches = 0;

// SplitMix64.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t count) {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return (x ^ (x >> 31)) % count;
  }

 private:
  std::uint64_t state_;
};

enum class State : std::uint8_t { fresh, runs, at_barrier, in_exchange, ended };

// A copy to shared memory, of which only the first bytes have a source.
struct Copy {
  std::byte* to;
  const std::byte* from;
  std::int32_t size, count;

  void run() const {
    std::memset(to, 0, static_cast<std::size_t>(size));
    std::memcpy(to, from, static_cast<std::size_t>(count));
  }
};

struct BeginningProduct {
  WarpgroupProduct* product;
  bool is_now;
};

struct Thread {
  State state = State::fresh;
  Fiber* fiber = nullptr;
  std::uint32_t value = 0;  // passed in an exchange, then received
  std::int32_t distance = 0;
  // The function that does the warp's work with the parts of its threads; null if they exchange values.
  void (*act)(void* const* parts) = nullptr;
  void* part = nullptr;
  std::vector<Copy> copies;               // that have begun
  std::deque<WarpgroupProduct> products;  // that have begun
};

// Runs one block after the other.
class Launch {
 public:
  Launch(const std::string& name, Function function, const GpuGrid& grid, void** arguments)
      : name_(name),
        function_(function),
        grid_(grid),
        arguments_(arguments),
        draw_(chosen_seed),
        count_(grid.threads_x * grid.threads_y) {
    WEFT_ASSERT(count_ >= 1 && count_ <= most_threads, name_, " has ", count_, " threads in a block");
    WEFT_ASSERT(grid.shared_bytes <= most_shared_bytes, name_, " asks for ", grid.shared_bytes,
                " bytes of shared memory");
  }

  void run() {
    std::vector<std::uint64_t> blocks(std::uint64_t{grid_.blocks_x} * grid_.blocks_y);
    std::iota(blocks.begin(), blocks.end(), 0);
    for (std::size_t left = blocks.size(); left > 0; --left) {
      std::swap(blocks[draw_.below(left)], blocks[left - 1]);
      block_ = blocks[left - 1];
      run_block();
    }
  }

  // ---- called by the running thread

  std::uint32_t index(int which) const {
    const std::uint32_t values[] = {x(running_),
                                    y(running_),
                                    grid_.threads_x,
                                    grid_.threads_y,
                                    static_cast<std::uint32_t>(block_ % grid_.blocks_x),
                                    static_cast<std::uint32_t>(block_ / grid_.blocks_x),
                                    grid_.blocks_x,
                                    grid_.blocks_y};
    return values[which];
  }

  std::byte* shared() const { return shared_; }

  void barrier() {
    threads_[running_].state = State::at_barrier;
    if (++at_barrier_ == count_) {
      at_barrier_ = 0;
      for (std::uint32_t t = 0; t < count_; ++t) resume(t);
    }
    wait();
  }

  std::uint32_t exchange(std::uint32_t value, std::int32_t distance) {
    Thread& mine = threads_[running_];
    mine.value = value;
    mine.distance = distance;
    mine.act = nullptr;
    meet_warp(mine);
    return mine.value;
  }

  // Calls `act` with the parts of all threads of the warp once each has passed its own.
  void together(void* part, void (*act)(void* const* parts)) {
    Thread& mine = threads_[running_];
    mine.part = part;
    mine.act = act;
    meet_warp(mine);
  }

  // A copy may happen at any time from its begin until its thread has waited for it.
  void copy(const Copy& copy) {
    if (draw_.below(2) == 0)
      copy.run();
    else
      threads_[running_].copies.push_back(copy);
  }
  void wait_for_copies() {
    for (const Copy& copy : threads_[running_].copies) copy.run();
    threads_[running_].copies.clear();
  }

  // A product may happen at any time from its begin until its threads have waited for it; all threads of a warp begin and wait together.
  void begin_product(WarpgroupProduct product) {
    product.shared = shared_;
    std::deque<WarpgroupProduct>& mine = threads_[running_].products;
    mine.push_back(std::move(product));
    BeginningProduct part{&mine.back(), draw_.below(2) == 0};
    together(&part, [](void* const* parts) {
      WarpgroupProduct* all[gpu_warp];
      for (int i = 0; i < gpu_warp; ++i) all[i] = static_cast<BeginningProduct*>(parts[i])->product;
      if (static_cast<BeginningProduct*>(parts[0])->is_now) multiply_add(all);
    });
  }
  void wait_for_products(std::size_t pending, std::size_t count, float* sums) {
    std::deque<WarpgroupProduct>& mine = threads_[running_].products;
    float* const end = sums + count;
    while (mine.size() > pending) {
      together(&mine.front(), [](void* const* parts) {
        WarpgroupProduct* all[gpu_warp];
        for (int i = 0; i < gpu_warp; ++i) all[i] = static_cast<WarpgroupProduct*>(parts[i]);
        if (!all[0]->is_done) multiply_add(all);
      });
      const std::vector<float>& sum = mine.front().sum;
      if (end - sums < std::ssize(sum)) fail_running(" waits for a product whose sums it does not name");
      sums = std::ranges::copy(sum, sums).out;
      mine.pop_front();
    }
    if (sums != end) fail_running(" waits for sums of a product that has not begun or goes on");
  }

 private:
  void fail_running(std::string_view what) {
    failure_ = concat(describe(running_), what);
    wait();  // for ever
  }

  void meet_warp(Thread& mine) {
    mine.state = State::in_exchange;
    const std::uint32_t first = running_ / gpu_warp * gpu_warp;
    if (first + gpu_warp > count_) {
      failure_ = concat(describe(running_), " exchanges a value, but its warp has fewer than ", gpu_warp, " threads");
    } else if (++in_exchange_[running_ / gpu_warp] == gpu_warp) {
      exchange_all(first);
    }
    wait();
  }

  std::uint32_t x(std::uint32_t thread) const { return thread % grid_.threads_x; }
  std::uint32_t y(std::uint32_t thread) const { return thread / grid_.threads_x; }
  std::string describe(std::uint32_t thread) const {
    return concat("thread (", x(thread), ", ", y(thread), ") of block (", index(4), ", ", index(5), ")");
  }

  void run_block() {
    threads_.assign(count_, {});
    in_exchange_.assign((count_ + gpu_warp - 1) / gpu_warp, 0);
    at_barrier_ = 0;
    runnable_.resize(count_);
    std::iota(runnable_.begin(), runnable_.end(), 0);
    SharedMemory memory(grid_.shared_bytes);
    shared_ = memory.begin();
    start_next();
    failure_ = failure_.empty() ? missing_thread() : failure_;
    if (failure_.empty() && memory.was_exceeded())
      failure_ = concat("block (", index(4), ", ", index(5), ") stores behind its ", grid_.shared_bytes,
                        " bytes of shared memory");
    fibers_.clear();
    free_.clear();
    if (!failure_.empty()) throw InternalError(concat("the kernel ", name_, " is wrong: ", failure_));
  }

  // Draws the thread that runs next; returns false if none can.
  bool draw_next() {
    if (runnable_.empty() || !failure_.empty()) return false;
    std::swap(runnable_[draw_.below(runnable_.size())], runnable_.back());
    running_ = runnable_.back();
    runnable_.pop_back();
    return true;
  }

  // Runs threads until none can run; called by the host thread.
  void start_next() {
    if (draw_next()) outside_.switch_to(fiber_of_running());
  }

  // The running thread waits; returns when it is its turn again.
  void wait() {
    Fiber& mine = *threads_[running_].fiber;
    leave(mine);
  }

  void leave(Fiber& from) {
    Fiber& to = draw_next() ? fiber_of_running() : outside_;
    if (&to != &from) from.switch_to(to);
  }

  // Returns the fiber that the thread which was just drawn has or, if it has not begun, will have.
  Fiber& fiber_of_running() {
    Thread& thread = threads_[running_];
    if (!thread.fiber) {
      if (free_.empty()) {
        fibers_.push_back(
            std::make_unique<Fiber>([](void* launch) { static_cast<Launch*>(launch)->run_fresh_threads(); }, this));
        free_.push_back(fibers_.back().get());
      }
      thread.fiber = free_.back();
      free_.pop_back();
    }
    return *thread.fiber;
  }

  // A fiber runs one thread after the other, so that threads which never wait need only one.
  void run_fresh_threads() {
    for (;;) {
      Fiber& mine = *threads_[running_].fiber;
      threads_[running_].state = State::runs;
      function_(arguments_);
      threads_[running_].state = State::ended;
      free_.push_back(&mine);
      leave(mine);
    }
  }

  void resume(std::uint32_t thread) {
    threads_[thread].state = State::runs;
    runnable_.push_back(thread);
  }

  void exchange_all(std::uint32_t first) {
    in_exchange_[first / gpu_warp] = 0;
    const auto act = threads_[first].act;
    void* parts[gpu_warp];
    for (int i = 0; i < gpu_warp; ++i) {
      parts[i] = threads_[first + i].part;
      if (threads_[first + i].act != act)
        failure_ = concat(describe(first + i), " does something else than the first thread of its warp");
    }
    if (!failure_.empty()) return;
    if (act) {
      act(parts);
      for (int i = 0; i < gpu_warp; ++i) resume(first + i);
      return;
    }
    std::uint32_t values[gpu_warp];
    for (int i = 0; i < gpu_warp; ++i) {
      const int other = i ^ threads_[first + i].distance;
      if (threads_[first + i].distance != threads_[first].distance || other < 0 || other >= gpu_warp) {
        failure_ = concat(describe(first + i), " exchanges a value over a distance of ", threads_[first + i].distance,
                          ", and the first thread of its warp over ", threads_[first].distance);
        return;
      }
      values[i] = threads_[first + other].value;
    }
    for (int i = 0; i < gpu_warp; ++i) {
      threads_[first + i].value = values[i];
      resume(first + i);
    }
  }

  // Returns what is wrong if a thread waits though no thread can run any more.
  std::string missing_thread() const {
    for (std::uint32_t t = 0; t < count_; ++t) {
      const State state = threads_[t].state;
      if (state == State::ended) continue;
      const bool is_barrier = state == State::at_barrier;
      const std::uint32_t from = is_barrier ? 0 : t / gpu_warp * gpu_warp, to = is_barrier ? count_ : from + gpu_warp;
      for (std::uint32_t other = from; other < to; ++other)
        if (threads_[other].state != state)
          return concat(describe(t), is_barrier ? " waits at a barrier" : " waits in an exchange", " that thread (",
                        x(other), ", ", y(other), ") does not reach: it ",
                        threads_[other].state == State::ended ? "has ended" : "waits elsewhere");
    }
    return "";
  }

  const std::string& name_;
  const Function function_;
  const GpuGrid& grid_;
  void** const arguments_;
  Draw draw_;
  const std::uint32_t count_;  // threads of a block
  std::uint64_t block_ = 0;
  std::uint32_t running_ = 0;
  std::uint32_t at_barrier_ = 0;
  std::vector<std::uint32_t> in_exchange_;  // of each warp
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> runnable_;
  std::byte* shared_ = nullptr;
  std::string failure_;
  Fiber outside_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> free_;  // those that no thread has
};

thread_local Launch* current = nullptr;

std::uint32_t index(int which) { return current->index(which); }
std::uint32_t exchange(std::uint32_t value, std::int32_t distance) { return current->exchange(value, distance); }
void barrier() { current->barrier(); }
std::byte* shared() { return current->shared(); }

// Calls `act` with the parts of the warp's threads.
template <class Part, void (*act)(Part* const* parts)>
void together(Part& part) {
  current->together(&part, [](void* const* parts) {
    Part* all[gpu_warp];
    for (int i = 0; i < gpu_warp; ++i) all[i] = static_cast<Part*>(parts[i]);
    act(all);
  });
}

void multiply_and_add(std::int32_t is_bf16, const std::uint32_t* operands, float* sum) {
  ProductPart part{.operands = {}, .sum = {}, .is_bf16 = is_bf16 != 0};
  std::copy_n(operands, std::size(part.operands), part.operands);
  std::copy_n(sum, std::size(part.sum), part.sum);
  together<ProductPart, multiply_add>(part);
  std::copy_n(part.sum, std::size(part.sum), sum);
}
void load_matrices(const std::byte* address, std::uint32_t* result, std::int32_t transposed) {
  LoadPart part{.address = address, .result = {}, .transposed = transposed != 0};
  together<LoadPart, load>(part);
  std::copy_n(part.result, std::size(part.result), result);
}
std::uint32_t rounded_pair(std::int32_t is_bf16, float first, float second) {
  return rounded(is_bf16 != 0, first, second);
}
void copy(std::byte* to, const std::byte* from, std::int32_t size, std::int32_t count) {
  current->copy({to, from, size, count});
}
void wait_for_copies() { current->wait_for_copies(); }
void begin_product(std::int32_t is_bf16, std::int32_t transposed, std::int32_t columns, std::int32_t parts,
                   const std::uint32_t* left, const std::uint64_t* right, float* sum) {
  current->begin_product({.is_bf16 = is_bf16 != 0,
                          .transposed = transposed != 0,
                          .left = {left, left + 4 * parts},
                          .right = {right, right + parts},
                          .sum = {sum, sum + columns / 2},
                          .shared = nullptr});
  std::fill_n(sum, columns / 2, std::numeric_limits<float>::quiet_NaN());
}
void wait_for_products(std::int32_t pending, std::int32_t count, float* sums) {
  current->wait_for_products(static_cast<std::size_t>(pending), static_cast<std::size_t>(count), sums);
}

}  // namespace

void run(const std::string& name, Function function, const GpuGrid& grid, void** arguments) {
  ++launches;
  Launch launch(name, function, grid, arguments);
  Launch* const before = std::exchange(current, &launch);
  try {
    launch.run();
  } catch (...) {
    current = before;
    throw;
  }
  current = before;
}

std::uint64_t launch_count() { return launches; }

void set_seed(std::uint64_t seed) { chosen_seed = seed; }

std::span<const Symbol> symbols() {
  static const Symbol all[] = {{"weft_twin_index", reinterpret_cast<void*>(&index)},
                               {"weft_twin_exchange", reinterpret_cast<void*>(&exchange)},
                               {"weft_twin_barrier", reinterpret_cast<void*>(&barrier)},
                               {"weft_twin_shared", reinterpret_cast<void*>(&shared)},
                               {"weft_twin_multiply_add", reinterpret_cast<void*>(&multiply_and_add)},
                               {"weft_twin_load_matrices", reinterpret_cast<void*>(&load_matrices)},
                               {"weft_twin_rounded", reinterpret_cast<void*>(&rounded_pair)},
                               {"weft_twin_copy", reinterpret_cast<void*>(&copy)},
                               {"weft_twin_wait_for_copies", reinterpret_cast<void*>(&wait_for_copies)},
                               {"weft_twin_begin_product", reinterpret_cast<void*>(&begin_product)},
                               {"weft_twin_wait_for_products", reinterpret_cast<void*>(&wait_for_products)}};
  return all;
}

}  // namespace weft::compiler::twin
