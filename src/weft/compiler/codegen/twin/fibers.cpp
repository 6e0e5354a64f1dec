#include <weft/compiler/codegen/twin/fibers.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <weft/base/error.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace weft::compiler::twin {

namespace {

constexpr std::size_t stack_bytes = 256 * 1024, shared_area_bytes = 256 * 1024;
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

thread_local Fiber* entered = nullptr;  // the last fiber that was switched to

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

#ifdef __x86_64__

// Saves the registers that a function must preserve, and continues where the other fiber left. The functions of <ucontext.h> call the
// kernel at every switch, which takes a hundred times as long.
extern "C" void weft_twin_switch(void** from, void* to);
asm(R"(
.pushsection .text
.hidden weft_twin_switch
.globl weft_twin_switch
.type weft_twin_switch, @function
weft_twin_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size weft_twin_switch, . - weft_twin_switch
.popsection
)");

Fiber::Fiber(void (*function)(void*), void* argument) : stack_(take_stack()), function_(function), argument_(argument) {
  constexpr std::size_t registers = 6;
  // A function begins with a stack pointer 8 bytes behind a multiple of 16, as if it had been called.
  auto** const end = reinterpret_cast<void**>(stack_ + stack_bytes) - 2;
  *end = reinterpret_cast<void*>(&Fiber::begin);  // where the first switch returns to
  std::fill(end - registers, end, nullptr);
  context_ = end - registers;
}

void Fiber::leave_for(Fiber& other) { weft_twin_switch(&context_, other.context_); }

#else

Fiber::Fiber(void (*function)(void*), void* argument) : stack_(take_stack()), function_(function), argument_(argument) {
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_;
  context_.uc_stack.ss_size = stack_bytes;
  makecontext(&context_, &Fiber::begin, 0);
}

void Fiber::leave_for(Fiber& other) { swapcontext(&context_, &other.context_); }

#endif

Fiber::~Fiber() {
  if (stack_) stacks().free.push_back(stack_);
}

#ifdef __SANITIZE_ADDRESS__

static thread_local Fiber* departed = nullptr;  // the last fiber that was left

// AddressSanitizer has to know on which stack the program runs. A stack that was used before still has the marks of its former frames.
void Fiber::switch_to(Fiber& other) {
  if (other.stack_ && !other.known_stack_) {
    __asan_unpoison_memory_region(other.stack_, stack_bytes);
    other.known_stack_ = other.stack_;
    other.known_bytes_ = stack_bytes;
  }
  entered = &other;
  departed = this;
  void* frames = nullptr;
  __sanitizer_start_switch_fiber(&frames, other.known_stack_, other.known_bytes_);
  leave_for(other);
  __sanitizer_finish_switch_fiber(frames, &departed->known_stack_, &departed->known_bytes_);
}

void Fiber::begin() {
  __sanitizer_finish_switch_fiber(nullptr, &departed->known_stack_, &departed->known_bytes_);
  const Fiber& self = *entered;
  self.function_(self.argument_);
  std::abort();
}

#else

void Fiber::switch_to(Fiber& other) {
  entered = &other;
  leave_for(other);
}

void Fiber::begin() {
  const Fiber& self = *entered;
  self.function_(self.argument_);
  std::abort();
}

#endif

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
