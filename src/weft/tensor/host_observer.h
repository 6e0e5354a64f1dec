// A HostObserver is notified of what the host does besides recording operations: which parameters, tracked values and
// random generators it reads and writes. compile() uses one to learn what a function depends on. An observer belongs to
// its thread (tensor/host_state.h). It is called from within the user's function, which may or may not catch exceptions, so nothing here
// throws. For internal use by weft.
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
  virtual const Tensor& parameter_read(const Parameter& parameter) = 0;  // returns the tensor that the read yields
  virtual void parameter_written(Parameter& parameter, const Tensor& next) = 0;  // called before the write
  // A parameter receives another tensor with the same buffer.
  virtual void parameter_copied(const record::TensorImpl& from, const Tensor& to) = 0;

  // The host read a tracked value, so what is recorded next may depend on it. `name` has static storage or is null.
  virtual void value_read(const void* value, std::size_t bytes, const record::Lifetime& lifetime, const char* name) = 0;
  virtual void value_written(const void* value) = 0;
  virtual void value_copied(const void* from, const record::Lifetime& lifetime, const void* to) = 0;
  virtual void ended(const void* object) = 0;  // a parameter or tracked value was destroyed

  // A generator of random keys produced a key; returns the number of this draw, counted from 1.
  virtual std::uint32_t drew(random::Generator& generator) = 0;

  // A function that must stay out of graphs (jit/disable.h) is about to be called.
  virtual void leaves_graph(const std::source_location& where) = 0;
};

}  // namespace weft
