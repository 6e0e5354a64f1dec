// A Tensor is an immutable value: dtype, shape and elements. Operations on tensors are recorded, not computed; the
// recording is compiled and launched as one program by sync(), or when the host asks for elements. Copying a Tensor
// copies a handle.
//
// Threads: each thread records on its own. A recorded tensor belongs to its thread until that thread's sync(); a tensor
// that was made from data or by a sync may be used by any thread.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/record/tensor_impl.h>
#include <weft/tensor/future.h>
#include <weft/tensor/shape.h>

namespace weft::ir {
class Mesh;
}

namespace weft {

class PartitionSpec;

// C++ types that can be element types of tensors.
template <class T>
concept Element = requires { DTypeOf<T>::value; };

class Tensor {
 public:
  Tensor() = default;  // undefined: only assignment and defined() are allowed
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(Tensor other) & noexcept {
    std::swap(impl_, other.impl_);
    return *this;
  }
  // Deleted because tensors are values: x[i] = t would change a copy. Write x = dynamic_update_slice(x, t, starts).
  void operator=(const auto& x_i_is_a_copy_use_dynamic_update_slice) && = delete;

  bool defined() const { return bool(impl_); }
  Type type() const { return impl().type; }
  DType dtype() const { return type().dtype(); }
  int rank() const { return type().rank(); }
  Shape shape() const { return type().dims(); }
  Dim dim(std::int64_t axis) const;            // a negative axis counts from the end
  std::int64_t size(std::int64_t axis) const;  // the same for a constant size
  std::int64_t elements() const { return type().elements(); }

  // The element i of dimension 0 (negative: from the end), without that dimension.
  struct At {
    At(std::integral auto i, std::source_location at = std::source_location::current())  // NOLINT: x[2]
        : index(i), where(at) {}
    std::int64_t index;
    std::source_location where;
  };
  Tensor operator[](const At& at) const;
  // Converts the elements. Floating point to integer rounds towards zero and saturates.
  Tensor to(DType dtype, std::source_location where = std::source_location::current()) const;

  // The same tensor, of which the devices of a mesh hold the given parts: see sharding.h. Within a recording, it says
  // how the devices hold the value from here on.
  Tensor sharded(const PartitionSpec& spec, const ir::Mesh& mesh,
                 const std::source_location& where = std::source_location::current()) const;
  // On the mesh of set_mesh, or of the compiled function that is being recorded.
  Tensor sharded(const PartitionSpec& spec, const std::source_location& where = std::source_location::current()) const;

  // Reading. All of these functions call sync() if the tensor is recorded but not launched. item, to_vector, bytes and
  // printing then wait for this tensor only, and rethrow the error of the launch that should have computed it.
  using Where = std::source_location;
  template <class T = double>
  T item(const Where& where = Where::current()) const {  // for a tensor with one element; converts it
    require_one("item");
    T value;
    convert(bytes_for("item", where), dtype_of<T>, &value);
    return value;
  }
  // The same without waiting: reading a loss in every step does not drain the device's queue.
  template <class T = double>
  Future<T> item_async(const Where& where = Where::current()) const {
    return Future<T>(read_async(dtype_of<T>, where));
  }
  template <Element T>
  std::vector<T> to_vector(const Where& where = Where::current()) const {  // row-major, converted
    static_assert(!std::same_as<T, bool>, "read booleans as std::uint8_t");
    const auto source = bytes_for("to_vector", where);  // before the allocation, because it may throw
    std::vector<T> values(elements());
    convert(source, dtype_of<T>, values.data());
    return values;
  }
  // The elements, row-major and little-endian; valid as long as this tensor is held.
  std::span<const std::byte> bytes(const Where& where = Where::current()) const;

  // Prints as NumPy does: nested brackets, long dimensions abbreviated in the middle.
  friend std::ostream& operator<<(std::ostream& out, const Tensor& x);

  // For internal use by weft.
  explicit Tensor(record::TensorPtr shared) : impl_(std::move(shared)) {}
  explicit Tensor(runtime::BufferPtr buffer) : impl_(record::TensorPtr::of(std::move(buffer))) {}
  const record::TensorPtr& shared() const { return impl_; }
  record::TensorImpl& impl() const {
    if (!impl_) [[unlikely]]
      fail_undefined();
    return *impl_;
  }
  runtime::BufferPtr buffer() const;  // calls sync(); the elements may not be computed yet

 private:
  std::span<const std::byte> bytes_for(const char* function, const Where& where) const;
  void convert(std::span<const std::byte> elements, DType as, void* to) const;
  void require_one(const char* function) const;
  [[noreturn]] static void fail_undefined();
  std::shared_ptr<detail::ReadItem> read_async(DType as, const Where& where) const;

  record::TensorPtr impl_;
};

}  // namespace weft
