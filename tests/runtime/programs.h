// Small executables made by hand, for the tests of the runtime.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <future>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weft/runtime/cpu/cpu_device.h>
#include <weft/runtime/schedule.h>
#include <weft/runtime/simulated/simulated_device.h>

namespace weft::runtime {

class FunctionThunk : public Thunk {
 public:
  using Function = std::function<void(const Launch&)>;
  explicit FunctionThunk(std::string name, Function function) : function_(std::move(function)) {
    info.name = std::move(name);
  }
  void run(const Launch& launch) const override { function_(launch); }

 private:
  Function function_;
};

inline const FunctionThunk::Function nothing = [](const Launch&) {};

// Builds an executable over one-dimensional f32 tensors.
class Program {
 public:
  explicit Program(std::string name, std::int64_t elements = 4) : type_(DType::f32, {elements}) {
    executable_->name = std::move(name);
  }

  Slice input() {
    executable_->inputs.push_back(type_);
    return add({.kind = Allocation::Kind::input, .index = static_cast<std::uint32_t>(executable_->inputs.size() - 1)});
  }
  Slice output(std::int32_t donated_input = -1) {
    const Slice slice =
        add({.kind = Allocation::Kind::output, .index = static_cast<std::uint32_t>(executable_->outputs.size())});
    executable_->outputs.push_back({.type = type_, .allocation = slice.allocation, .donated_input = donated_input});
    return slice;
  }
  void pass_through(Slice slice) { executable_->outputs.push_back({.type = type_, .allocation = slice.allocation}); }
  Slice temporary() {
    const Slice slice = add({.offset = executable_->temporary_bytes});
    executable_->temporary_bytes += slice.bytes;
    return slice;
  }
  Slice constant(float value) {
    auto* floats = new float[type_.elements()];
    std::fill_n(floats, type_.elements(), value);
    return add({.kind = Allocation::Kind::constant,
                .constant = std::shared_ptr<const std::byte>(reinterpret_cast<std::byte*>(floats),
                                                             [floats](const std::byte*) { delete[] floats; })});
  }
  Program& thunk(std::string name, FunctionThunk::Function function) {
    executable_->thunks.push_back(std::make_unique<FunctionThunk>(std::move(name), std::move(function)));
    return *this;
  }
  Program& thunk(std::string name, std::vector<Slice> reads, std::vector<Slice> writes,
                 FunctionThunk::Function function) {
    auto made = std::make_unique<FunctionThunk>(std::move(name), std::move(function));
    made->reads = std::move(reads);
    made->writes = std::move(writes);
    executable_->thunks.push_back(std::move(made));
    return *this;
  }
  Program& thunk(std::unique_ptr<Thunk> made) {
    executable_->thunks.push_back(std::move(made));
    return *this;
  }
  // Adds a thunk on another stream.
  Program& thunk_on(StreamKind stream, std::string name, std::vector<Slice> reads, std::vector<Slice> writes,
                    FunctionThunk::Function function) {
    auto made = std::make_unique<FunctionThunk>(std::move(name), std::move(function));
    made->reads = std::move(reads);
    made->writes = std::move(writes);
    made->stream = stream;
    executable_->thunks.push_back(std::move(made));
    return *this;
  }
  // to[i] = from[i] + value
  Program& add_scalar(Slice to, Slice from, float value) {
    return thunk("add", {from}, {to}, [=](const Launch& launch) {
      const auto* x = launch.at<const float>(from);
      auto* y = launch.at<float>(to);
      for (std::size_t i = 0; i < from.bytes / sizeof(float); ++i) y[i] = x[i] + value;
    });
  }

  Executable& executable() { return *executable_; }
  std::shared_ptr<const Executable> finish() {
    executable_->schedule = schedule_streams(*executable_);
    return std::move(executable_);
  }

 private:
  Slice add(Allocation allocation) {
    allocation.bytes = static_cast<std::uint64_t>(type_.bytes());
    executable_->allocations.push_back(allocation);
    return {.allocation = static_cast<std::uint32_t>(executable_->allocations.size() - 1),
            .offset = 0,
            .bytes = allocation.bytes};
  }

  Type type_;
  std::unique_ptr<Executable> executable_ = std::make_unique<Executable>();
};

// y = x + value
inline std::shared_ptr<const Executable> adder(float value, std::int64_t elements = 4) {
  Program program("adder", elements);
  const Slice x = program.input(), y = program.output();
  program.add_scalar(y, x, value);
  return program.finish();
}

// x += value, in the memory of x
inline std::shared_ptr<const Executable> updater(float value, std::int64_t elements = 4) {
  Program program("updater", elements);
  const Slice x = program.input(), y = program.output(0);
  program.add_scalar(y, x, value);
  return program.finish();
}

inline std::shared_ptr<const Executable> thrower(std::string message) {
  Program program("thrower");
  const Slice x = program.input(), y = program.output();
  program.thunk("before", [](const Launch&) {});
  program.thunk("bad", [x, y, message](const Launch&) { throw Error(message); });
  return program.finish();
}

inline BufferPtr floats(Device& device, std::vector<float> values) {
  return device.upload(Type(DType::f32, {std::ssize(values)}), std::as_bytes(std::span(values)));
}

inline std::vector<float> values(std::span<const std::byte> bytes) {
  std::vector<float> result(bytes.size() / sizeof(float));
  if (!bytes.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}
inline std::vector<float> values(const BufferPtr& buffer) { return values(buffer->bytes()); }

inline BufferPtr launch_one(Device& device, std::shared_ptr<const Executable> executable, const BufferPtr& input) {
  return device.launch(std::move(executable), std::span(&input, 1)).at(0);
}

// Returns a buffer whose bytes the test provides later: what needs it cannot start before.
inline BufferPtr promised(std::int64_t elements = 4) { return std::make_shared<Buffer>(Type(DType::f32, {elements})); }
inline void fulfil(Device& device, const BufferPtr& buffer, float value) {
  const std::vector<float> floats(buffer->type().elements(), value);
  const std::size_t bytes = floats.size() * sizeof(float);
  Memory memory = device.id().memory_space().is_host_visible()
                      ? device.allocate(bytes)
                      : Memory(std::shared_ptr<std::byte>(new std::byte[bytes], std::default_delete<std::byte[]>()));
  MemorySpace::host().copy_to_device(memory.device_address(), reinterpret_cast<const std::byte*>(floats.data()), bytes);
  buffer->fulfil(std::move(memory));
}

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace weft::runtime
