// A HostObserver sees what the host does beside recording operations: which parameters, tracked values and random generators it reads
// and writes. So compile() learns what a function depends on. It belongs to its thread, and is called from within the user's
// function, which may catch every exception or none: nothing here throws. For weft's own layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>

namespace weft {

class Parameter;
class Tensor;
namespace random {
struct Generator;
}
namespace record {
class Lifetime;
struct TensorImpl;
}  // namespace record

class HostObserver {
 public:
  virtual ~HostObserver() = default;

  virtual void parameter_made(const Parameter& parameter) = 0;
  virtual const Tensor& parameter_read(const Parameter& parameter) = 0;          // what reading it gives
  virtual void parameter_written(Parameter& parameter, const Tensor& next) = 0;  // about to be
  // A parameter gets another tensor of the same buffer.
  virtual void parameter_copied(const record::TensorImpl& from, const Tensor& to) = 0;

  // A tracked value was read by the host: what is recorded may depend on it. `name`: of static storage, or null.
  virtual void value_read(const void* value, std::size_t bytes, const record::Lifetime& lifetime, const char* name) = 0;
  virtual void value_written(const void* value) = 0;
  virtual void value_copied(const void* from, const record::Lifetime& lifetime, const void* to) = 0;
  virtual void ended(const void* object) = 0;  // a parameter or tracked value

  // A generator of random keys gave one; returns a number from 1 for it.
  virtual std::uint32_t drew(random::Generator& generator) = 0;

  // A function that was told to stay out of graphs (jit/disable.h) is about to be called.
  virtual void leaves_graph(const std::source_location& where) = 0;
};

inline constinit thread_local HostObserver* host_observer = nullptr;  // of this thread

}  // namespace weft
