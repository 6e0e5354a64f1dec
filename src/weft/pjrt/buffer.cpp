#include <weft/pjrt/buffer.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>
#include <numeric>

#include <weft/base/error.h>
#include <weft/pjrt/client.h>
#include <weft/pjrt/element_type.h>
#include <weft/pjrt/event.h>
#include <weft/pjrt/forked.h>
#include <weft/pjrt/strided.h>
#include <weft/runtime/cpu/cpu_device.h>

PJRT_Buffer::PJRT_Buffer(PJRT_Buffer_Type of_type, std::vector<int64_t> of_dims, Parts of_parts, weft::pjrt::Memory& in)
    : type(of_type), dims(std::move(of_dims)), memory(in), parts_(std::move(of_parts)) {}

void PJRT_Buffer::require_parts() const {
  weft::require(!parts_.buffers().empty(), "the array was deleted or donated");
}

bool PJRT_Buffer::deleted() const {
  const std::lock_guard lock(mutex_);
  return parts_.buffers().empty();
}

void PJRT_Buffer::remove() {
  const std::lock_guard lock(mutex_);
  parts_ = {};
}

weft::pjrt::Held PJRT_Buffer::parts() const {
  const std::lock_guard lock(mutex_);
  require_parts();
  return parts_;
}

void PJRT_Buffer::append_to(Parts& inputs) const {
  const std::lock_guard lock(mutex_);
  require_parts();
  inputs.insert(inputs.end(), parts_.buffers().begin(), parts_.buffers().end());
}

void PJRT_Buffer::donate_to(Parts& inputs) {
  const std::lock_guard lock(mutex_);
  require_parts();
  std::ranges::move(parts_.release(), std::back_inserter(inputs));
}

void PJRT_Buffer::restore(Parts parts) {
  const std::lock_guard lock(mutex_);
  parts_ = weft::pjrt::Held(std::move(parts));
}

void PJRT_Buffer::add_viewer() {
  const std::lock_guard lock(mutex_);
  require_parts();
  if (viewers_++ == 0) viewed_ = parts_;
}

void PJRT_Buffer::remove_viewer() {
  const std::lock_guard lock(mutex_);
  weft::require(viewers_ > 0, "nobody looks at the bytes of the array");
  if (--viewers_ == 0) viewed_ = {};
}

namespace weft::pjrt {

namespace {

Type type_of(DType dtype, std::span<const int64_t> dims) {
  require(std::cmp_less_equal(dims.size(), Type::max_rank), "an array has at most ", Type::max_rank, " dimensions");
  const std::vector<Dim> sizes(dims.begin(), dims.end());
  return Type(dtype, sizes);
}

std::size_t bytes_of(const PJRT_Buffer& buffer) {
  const ElementType element = element_type(buffer.type);
  return static_cast<std::size_t>(type_of(element.dtype, buffer.dims).bytes()) * (element.is_complex ? 2 : 1);
}

// Returns how many bits of the byte of a narrow integer the host does not set.
int unused_bits(DType dtype) {
  if (dtype == DType::i2 || dtype == DType::u2) return 6;
  return dtype == DType::i4 || dtype == DType::u4 ? 4 : 0;
}

// The host leaves the upper bits of narrow integers undefined; weft keeps the integer in the whole byte.
void set_upper_bits(DType dtype, std::span<std::byte> bytes) {
  const int unused = unused_bits(dtype);
  if (unused == 0) return;
  const bool is_signed = is_signed_integer(dtype);
  for (std::byte& byte : bytes) {
    const auto shifted = static_cast<std::uint8_t>(static_cast<unsigned>(byte) << unused);
    byte = is_signed ? static_cast<std::byte>(static_cast<std::int8_t>(shifted) >> unused)
                     : static_cast<std::byte>(shifted >> unused);
  }
}

// Writes the parts in JAX's order: the numbers of each element beside each other.
void write(std::span<const runtime::BufferPtr> parts, std::byte* to) {
  if (parts.size() == 1) {
    std::ranges::copy(parts[0]->bytes(), to);
    return;
  }
  const auto width = static_cast<std::size_t>(byte_size(parts[0]->type().dtype()));
  const auto re = parts[0]->bytes(), im = parts[1]->bytes();
  for (std::size_t at = 0; at < re.size(); at += width) {
    std::memcpy(to + 2 * at, re.data() + at, width);
    std::memcpy(to + 2 * at + width, im.data() + at, width);
  }
}

void require_row_major(const PJRT_Buffer_MemoryLayout* layout, std::span<const int64_t> dims, ElementType element) {
  if (!layout) return;
  bool is_row_major = true;
  if (layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled) {
    const auto& tiled = layout->tiled;
    for (std::size_t i = 0; i < tiled.minor_to_major_size; ++i)
      is_row_major = is_row_major && tiled.minor_to_major[i] == static_cast<int64_t>(tiled.minor_to_major_size - 1 - i);
    is_row_major = is_row_major && tiled.num_tiles == 0;
  } else {
    const auto& strides = layout->strides;
    const auto wanted = row_major(dims, element.bytes());
    is_row_major = std::ranges::equal(std::span(strides.byte_strides, strides.num_byte_strides), wanted);
  }
  if (!is_row_major) throw UnsupportedError("arrays on the host are in row-major order only", "layout");
}

// Arrays never change, and all memories are that of this machine, so a copy shares their bytes.
PJRT_Buffer* copy_of(const PJRT_Buffer& buffer, Memory& in) {
  return new PJRT_Buffer(buffer.type, buffer.dims, buffer.parts().buffers(), in);
}

// Returns a buffer in memory that is not weft's, which no launch takes. Calls `done` when nothing uses the memory any more.
template <class Done>
runtime::BufferPtr borrow(Type type, void* data, Done done) {
  std::shared_ptr<std::byte> memory(static_cast<std::byte*>(data), [done = std::move(done)](std::byte*) { done(); });
  auto buffer = std::make_shared<runtime::Buffer>(type, runtime::Memory(std::move(memory)), runtime::cpu().id());
  buffer->add_holder();  // which never goes
  return buffer;
}

// Returns whether to use the host's memory in place. Few bytes are copied, because it takes less time than to tell when nothing uses
// them any more. Memory has to be aligned as weft's own is, as JAX's CPU backend requires too: programs rely on that it copies other
// arrays before they are changed.
bool should_borrow(const PJRT_Client_BufferFromHostBuffer_Args& args, std::size_t bytes) {
  constexpr std::size_t few_bytes = std::size_t{1} << 15;
  constexpr std::uintptr_t alignment = 64;
  const bool is_allowed = args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy ||
                          args.host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
  return is_allowed && bytes >= few_bytes && reinterpret_cast<std::uintptr_t>(args.data) % alignment == 0;
}

}  // namespace

}  // namespace weft::pjrt

std::span<const std::byte> PJRT_Buffer::bytes() const {
  const weft::pjrt::Held held = parts();
  for (const auto& part : held.buffers()) part->wait();
  if (held.buffers().size() == 1) return held.buffers()[0]->bytes();
  const std::lock_guard lock(mutex_);
  if (joined_.empty()) {
    joined_.resize(weft::pjrt::bytes_of(*this));
    weft::pjrt::write(held.buffers(), joined_.data());
  }
  return joined_;
}

namespace weft::pjrt {

void run(PJRT_Client_BufferFromHostBuffer_Args& args) {
  require_not_forked();
  const ElementType element = element_type(args.type);
  const std::span dims(args.dims, args.num_dims);
  const Type type = type_of(element.dtype, dims);
  const auto strides = args.byte_strides ? std::vector(args.byte_strides, args.byte_strides + args.num_byte_strides)
                                         : row_major(dims, element.bytes());
  require(strides.size() == dims.size(), "there are ", strides.size(), " strides for ", dims.size(), " dimensions");
  const auto* const data = static_cast<const std::byte*>(args.data);
  const auto width = static_cast<std::size_t>(byte_size(element.dtype)), bytes = static_cast<std::size_t>(type.bytes());
  const bool is_as_in_weft =
      !element.is_complex && unused_bits(element.dtype) == 0 && strides == row_major(dims, element.bytes());
  std::vector<runtime::BufferPtr> parts;
  std::shared_ptr<runtime::Event> done = runtime::Event::already_set();
  const bool is_borrowed = is_as_in_weft && should_borrow(args, bytes);
  if (is_borrowed) {
    done = std::make_shared<runtime::Event>();
    parts.push_back(borrow(type, const_cast<void*>(args.data), [done] { done->set(); }));
  } else if (is_as_in_weft && args.host_buffer_semantics != PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) {
    parts.push_back(runtime::cpu().upload(type, {data, bytes}, nullptr));
    done = parts[0]->event();
  } else if (is_as_in_weft) {
    parts.push_back(runtime::cpu().upload(type, {data, bytes}));
  } else {
    std::vector<std::byte> dense(bytes);
    for (std::size_t part = 0; part < (element.is_complex ? 2 : 1); ++part) {
      gather(data + part * width, dims, strides, width, dense.data(), width);
      set_upper_bits(element.dtype, dense);
      parts.push_back(runtime::cpu().upload(type, dense));
    }
  }
  auto event = std::make_unique<PJRT_Event>(std::move(done));
  args.buffer = new PJRT_Buffer(args.type, {dims.begin(), dims.end()}, std::move(parts),
                                memory_or_default(args.memory, args.device));
  if (!is_borrowed && is_as_in_weft) args.buffer->origin = ArrayOrigin::copied({data, bytes});
  args.done_with_host_buffer = event.release();
}

void run(PJRT_Client_CreateViewOfDeviceBuffer_Args& args) {
  const ElementType element = element_type(args.element_type);
  if (element.is_complex || unused_bits(element.dtype) != 0)
    throw UnsupportedError(
        "complex numbers and numbers of less than a byte cannot be used in memory that is not weft's", "views");
  const std::span dims(args.dims, args.num_dims);
  const Type type = type_of(element.dtype, dims);
  const auto width = static_cast<std::uintptr_t>(byte_size(element.dtype));
  // JAX makes a copy, or raises a ValueError, if the message has these words.
  require(reinterpret_cast<std::uintptr_t>(args.device_buffer_ptr) % width == 0, "the memory of an array of ",
          element.dtype, " is not aligned to ", width, " bytes");
  require_row_major(args.layout, dims, element);
  auto buffer =
      borrow(type, args.device_buffer_ptr,
             [done = args.on_delete_callback, of = args.device_buffer_ptr, argument = args.on_delete_callback_arg] {
               if (done) done(of, argument);
             });
  args.buffer = new PJRT_Buffer(args.element_type, {dims.begin(), dims.end()}, {std::move(buffer)},
                                memory_or_default(args.memory, args.device));
}

void run(PJRT_Buffer_ToHostBuffer_Args& args) {
  require_not_forked();
  const PJRT_Buffer& buffer = *args.src;
  require_row_major(args.host_layout, buffer.dims, element_type(buffer.type));
  const std::size_t bytes = bytes_of(buffer);
  if (!args.dst) {
    args.dst_size = bytes;
    return;
  }
  require(args.dst_size >= bytes, "an array of ", bytes, " bytes does not fit in ", args.dst_size);
  auto parts = std::make_shared<const Held>(buffer.parts());
  auto done = std::make_shared<runtime::Event>();
  args.event = new PJRT_Event{done};
  when_come(event_of(parts->buffers()),
            [done, parts, to = static_cast<std::byte*>(args.dst)](const std::exception_ptr& error) {
              if (error) return done->set_error(error);
              try {
                write(parts->buffers(), to);
                done->set();
              } catch (...) {
                done->set_error(std::current_exception());
              }
            });
}

void run(PJRT_Buffer_CopyToDevice_Args& args) {
  args.dst_buffer = copy_of(*args.buffer, args.dst_device->own_memories[0]);
}
void run(PJRT_Buffer_CopyToMemory_Args& args) {
  args.dst_buffer = copy_of(*args.buffer, memory_or_default(args.dst_memory, args.buffer->memory.device));
}

void run(PJRT_Buffer_Destroy_Args& args) { delete args.buffer; }
void run(PJRT_Buffer_Delete_Args& args) { args.buffer->remove(); }
void run(PJRT_Buffer_IsDeleted_Args& args) { args.is_deleted = args.buffer->deleted(); }
void run(PJRT_Buffer_ElementType_Args& args) { args.type = args.buffer->type; }
void run(PJRT_Buffer_Dimensions_Args& args) {
  args.dims = args.buffer->dims.data();
  args.num_dims = args.buffer->dims.size();
}
void run(PJRT_Buffer_UnpaddedDimensions_Args& args) {
  args.unpadded_dims = args.buffer->dims.data();
  args.num_dims = args.buffer->dims.size();
}
void run(PJRT_Buffer_DynamicDimensionIndices_Args& args) {
  args.dynamic_dim_indices = nullptr;
  args.num_dynamic_dims = 0;
}
void run(PJRT_Buffer_OnDeviceSizeInBytes_Args& args) { args.on_device_size_in_bytes = bytes_of(*args.buffer); }
void run(PJRT_Buffer_Device_Args& args) { args.device = args.buffer->memory.device; }
void run(PJRT_Buffer_Memory_Args& args) { args.memory = &args.buffer->memory; }
void run(PJRT_Buffer_IsOnCpu_Args& args) { args.is_on_cpu = true; }
void run(PJRT_Buffer_IncreaseExternalReferenceCount_Args& args) {
  (void)args.buffer->bytes();
  args.buffer->add_viewer();
}
void run(PJRT_Buffer_DecreaseExternalReferenceCount_Args& args) { args.buffer->remove_viewer(); }
void run(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args) {
  args.device_memory_ptr = const_cast<std::byte*>(args.buffer->bytes().data());  // the interface forgot const
}
void run(PJRT_Buffer_UnsafePointer_Args& args) {
  args.buffer_pointer = reinterpret_cast<uintptr_t>(args.buffer->bytes().data());
}
void run(PJRT_Buffer_ReadyEvent_Args& args) { args.event = new PJRT_Event{event_of(args.buffer->parts().buffers())}; }

}  // namespace weft::pjrt
