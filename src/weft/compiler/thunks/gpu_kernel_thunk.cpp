#include <weft/compiler/thunks/gpu_kernel_thunk.h>

#include <array>

namespace weft::compiler {

namespace {

// The addresses of a call's arguments, as the driver takes them. Few calls have so many that they need memory of their own.
class Arguments {
 public:
  Arguments(const GpuKernelCall& call, const runtime::Launch& launch) {
    const std::size_t buffers = call.buffers.size(), count = buffers + call.parameters.size();
    if (count > few_.size()) many_.resize(count), many_addresses_.resize(buffers);
    void** next = data();
    std::byte** address = many_.empty() ? few_addresses_.data() : many_addresses_.data();
    for (const runtime::Slice& slice : call.buffers) {
      *address = launch.at(slice);
      *next++ = address++;
    }
    for (const std::int64_t& parameter : call.parameters) *next++ = const_cast<std::int64_t*>(&parameter);
  }
  void** data() { return many_.empty() ? few_.data() : many_.data(); }

 private:
  static constexpr std::size_t usual = 128;
  std::array<void*, usual> few_;
  std::array<std::byte*, usual> few_addresses_;
  std::vector<void*> many_;
  std::vector<std::byte*> many_addresses_;
};

void launch_kernel(const GpuKernelCall& call, const runtime::Launch& launch) {
  if (call.grid.blocks_x == 0) return;
  Arguments arguments(call, launch);
  call.kernel->launch(call.grid, arguments.data(), launch);
}

std::vector<std::uint64_t> slice_offsets(const std::vector<runtime::Slice>& buffers) {
  std::vector<std::uint64_t> offsets;
  for (const runtime::Slice& slice : buffers) offsets.push_back(slice.offset);
  return offsets;
}

}  // namespace

GpuKernelCall::GpuKernelCall(const Loop& loop, const GpuKernel& its_kernel, std::vector<runtime::Slice> its_buffers,
                             std::vector<std::int64_t> its_parameters)
    : kernel(&its_kernel),
      buffers(std::move(its_buffers)),
      parameters(std::move(its_parameters)),
      grid(gpu_grid(loop, parameters, slice_offsets(buffers))) {}

void GpuKernelThunk::run(const runtime::Launch& launch) const {
  for (const GpuKernelCall& call : calls_) launch_kernel(call, launch);
}

}  // namespace weft::compiler
