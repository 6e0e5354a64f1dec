// Functions of the host, by name: what a custom_call of that name runs, wherever it is run. Thread-safe.
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

// A tensor in host memory, dense and row-major, while a function runs.
struct HostInput {
  Type type;
  const std::byte* bytes;

  template <class T>
  std::span<const T> data() const {  // T is the C++ type of the dtype
    require(dtype_of<T> == type.dtype(), "HostInput::data: ", type, " read as ", dtype_of<T>);
    return {reinterpret_cast<const T*>(bytes), static_cast<std::size_t>(type.elements())};
  }
};
struct HostOutput {
  Type type;
  std::byte* bytes;

  template <class T>
  std::span<T> data() const {
    require(dtype_of<T> == type.dtype(), "HostOutput::data: ", type, " written as ", dtype_of<T>);
    return {reinterpret_cast<T*>(bytes), static_cast<std::size_t>(type.elements())};
  }
};
// Inputs never share bytes with outputs, which hold anything when the function begins.
struct HostCall {
  std::span<const HostInput> inputs;
  std::span<const HostOutput> outputs;
};

// Reads the inputs and writes all of the outputs. A function of its inputs alone: it may be called more or less often than it was
// recorded, from any thread, never twice at once by compiled programs. What it throws is the error of the launch.
using HostCompute = std::function<void(const HostCall& call)>;
// The types of the outputs for those of the inputs. Throws Error for inputs that the function does not take.
using HostTypes = std::function<std::vector<Type>(std::span<const Type> inputs)>;

class HostFunction {
 public:
  HostFunction(std::string name, HostTypes types, HostCompute compute);
  HostFunction(const HostFunction&) = delete;
  HostFunction& operator=(const HostFunction&) = delete;

  const std::string& name() const { return name_; }
  std::vector<Type> types(std::span<const Type> inputs) const { return types_(inputs); }
  // Counts the call under custom_op::NAME, with its time and the bytes it reads and writes.
  void run(const HostCall& call) const;

  // What makes the cotangents of the floating-point inputs, in order, out of inputs, outputs and the outputs' cotangents; null:
  // there is no gradient.
  const HostFunction* gradient() const { return gradient_; }

 private:
  friend const HostFunction& register_host_function(std::string name, HostTypes types, HostCompute compute,
                                                    HostCompute gradient);

  std::string name_;
  HostTypes types_;
  HostCompute compute_;
  const HostFunction* gradient_ = nullptr;
  std::string counter_name_, time_name_, bytes_name_;
  mutable metrics::Counter calls_;
  mutable metrics::Metric time_, bytes_;
};

// Known from now on, for the life of the process; a gradient under NAME.gradient. Throws Error for a name that is taken or empty.
const HostFunction& register_host_function(std::string name, HostTypes types, HostCompute compute,
                                           HostCompute gradient = {});
const HostFunction* find_host_function(std::string_view name);  // null: none

// The message for a custom_call whose target is no known function: what the target is, as far as its name says.
std::string no_host_function(std::string_view target);

}  // namespace weft::ir
