// Host functions, registered by name: a custom_call with that name runs the function on every device. Thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weft/base/convert.h>
#include <weft/base/metrics.h>
#include <weft/base/type.h>

namespace weft::ir {

// A tensor in host memory, dense and row-major, valid while the function runs.
struct HostInput {
  Type type;
  const std::byte* bytes;

  template <class T>
  std::span<const T> data() const {  // T is the C++ type of the dtype
    require(dtype_of<T> == type.dtype(), "HostInput::data: ", type, " read as ", dtype_of<T>);
    return std::span(reinterpret_cast<const T*>(bytes), type.elements());
  }
};
struct HostOutput {
  Type type;
  std::byte* bytes;

  template <class T>
  std::span<T> data() const {
    require(dtype_of<T> == type.dtype(), "HostOutput::data: ", type, " written as ", dtype_of<T>);
    return std::span(reinterpret_cast<T*>(bytes), type.elements());
  }
};
// The arguments of one call. Inputs never share memory with outputs. The outputs are uninitialised when the function starts.
struct HostCall {
  std::span<const HostInput> inputs;
  std::span<const HostOutput> outputs;
  std::string_view config = {};   // the backend_config of the custom_call
  const void* context = nullptr;  // from the caller of Device::launch
};

// Reads the inputs and writes all of the outputs. The outputs must depend only on the inputs: the function may be called more or
// less often than it was recorded, and from any thread, but compiled programs never run it concurrently with itself. An exception
// that it throws becomes the error of the launch.
using HostCompute = std::function<void(const HostCall& call)>;
// Returns the types of the outputs for the given types of the inputs. Throws Error for inputs that the function does not accept.
using HostTypes = std::function<std::vector<Type>(std::span<const Type> inputs)>;

class HostFunction {
 public:
  HostFunction(std::string name, HostTypes types, HostCompute compute);
  HostFunction(const HostFunction&) = delete;
  HostFunction& operator=(const HostFunction&) = delete;

  const std::string& name() const { return name_; }
  std::vector<Type> types(std::span<const Type> inputs) const { return types_(inputs); }
  // Runs the function and counts the call under custom_op::NAME, with its time and the bytes that it reads and writes.
  void run(const HostCall& call) const;

  // Returns the function that computes the cotangents of the floating-point inputs, in order, from the inputs, the outputs and
  // the cotangents of the outputs. Returns null if there is no gradient.
  const HostFunction* gradient() const { return gradient_; }
  // Returns the function that computes the tangents of the floating-point outputs, in order, from the inputs, the outputs and the tangents
  // of the floating-point inputs. Returns null if there is none.
  const HostFunction* forward() const { return forward_; }
  // Returns whether the function only computes, so that it runs between kernels, as one of them. Others may wait for something, for example
  // for a lock of Python, and run beside kernels.
  bool is_kernel() const { return is_kernel_; }

 private:
  friend const HostFunction& register_host_function(std::string name, HostTypes types, HostCompute compute,
                                                    HostCompute gradient, HostCompute forward);
  friend const HostFunction& register_host_kernel(std::string name, HostTypes types, HostCompute compute);

  std::string name_;
  HostTypes types_;
  HostCompute compute_;
  const HostFunction* gradient_ = nullptr;
  const HostFunction* forward_ = nullptr;
  bool is_kernel_ = false;
  std::string counter_name_, time_name_, bytes_name_;
  mutable metrics::Counter calls_;
  mutable metrics::Metric time_, bytes_;
};

// Registers a function for the life of the process, its gradient under NAME.gradient, and its forward rule under NAME.forward. Throws Error
// if the name is taken or empty.
const HostFunction& register_host_function(std::string name, HostTypes types, HostCompute compute,
                                           HostCompute gradient = {}, HostCompute forward = {});
// Registers a function that only computes: see HostFunction::is_kernel.
const HostFunction& register_host_kernel(std::string name, HostTypes types, HostCompute compute);
const HostFunction* find_host_function(std::string_view name);  // null if there is none

// Returns the message for a custom_call whose target is not registered. It says what the target is, as far as the name tells.
std::string no_host_function(std::string_view target);

}  // namespace weft::ir
