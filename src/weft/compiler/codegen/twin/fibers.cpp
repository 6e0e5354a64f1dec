#include <weft/compiler/codegen/twin/fibers.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <weft/base/error.h>

namespace weft::compiler::twin {

namespace {

constexpr std::size_t stack_bytes = 256 * 1024, shared_area_bytes = 64 * 1024;
constexpr std::size_t alignment = 64;
constexpr std::byte garbage{0xff};  // NaN in every format

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// Maps pages between two others that fault. They take memory only once they are touched.
class Pages {
 public:
  explicit Pages(std::size_t bytes) : bytes_(bytes + 2 * page_bytes()) {
    void* const mapped = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    require(mapped != MAP_FAILED, "there is no memory for the threads of a kernel");
    first_ = static_cast<std::byte*>(mapped);
    require(mprotect(begin(), bytes, PROT_READ | PROT_WRITE) == 0, "there is no memory for the threads of a kernel");
  }
  ~Pages() { munmap(first_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  std::byte* begin() const { return first_ + page_bytes(); }
  std::byte* end() const { return first_ + bytes_ - page_bytes(); }

 private:
  std::size_t bytes_;
  std::byte* first_;
};

// The stacks of fibers that ended on this thread.
struct Stacks {
  std::vector<std::unique_ptr<Pages>> all;
  std::vector<std::byte*> free;
};
Stacks& stacks() {
  static thread_local Stacks known;
  return known;
}

std::byte* take_stack() {
  Stacks& known = stacks();
  if (known.free.empty()) {
    known.all.push_back(std::make_unique<Pages>(stack_bytes));
    known.free.push_back(known.all.back()->begin());
  }
  std::byte* const stack = known.free.back();
  known.free.pop_back();
  return stack;
}

}  // namespace

Fiber::Fiber(void (*function)(void*), void* argument) : stack_(take_stack()), function_(function), argument_(argument) {
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_;
  context_.uc_stack.ss_size = stack_bytes;
  const auto address = reinterpret_cast<std::uintptr_t>(this);  // makecontext passes only numbers of type int
  makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::begin), 2, static_cast<unsigned>(address),
              static_cast<unsigned>(address >> 32));
}

Fiber::~Fiber() {
  if (stack_) stacks().free.push_back(stack_);
}

void Fiber::begin(unsigned low, unsigned high) {
  const auto* const self = reinterpret_cast<Fiber*>(std::uintptr_t{high} << 32 | low);
  self->function_(self->argument_);
  std::abort();
}

void Fiber::switch_to(Fiber& other) { swapcontext(&context_, &other.context_); }

SharedMemory::SharedMemory(std::size_t bytes) : bytes_(bytes) {
  static thread_local const Pages pages(shared_area_bytes);
  WEFT_ASSERT(bytes <= shared_area_bytes, "a block asks for ", bytes, " bytes of shared memory");
  end_ = pages.end();
  begin_ = end_ - (bytes + alignment - 1) / alignment * alignment;
  std::fill(begin_, end_, garbage);
}

bool SharedMemory::was_exceeded() const {
  return std::any_of(begin_ + bytes_, end_, [](std::byte b) { return b != garbage; });
}

}  // namespace weft::compiler::twin
