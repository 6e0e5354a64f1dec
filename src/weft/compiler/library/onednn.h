// Helpers shared by all thunks that call oneDNN.
#pragma once

#include <atomic>
#include <cstddef>
#include <dnnl.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <weft/base/dtype.h>

namespace weft::compiler::onednn {

const dnnl::engine& engine();

// Returns nullopt for element types that oneDNN does not compute with on this machine.
std::optional<dnnl::memory::data_type> data_type(DType t);

// A primitive and the descriptions of its arguments: (DNNL_ARG_..., description), in the order in which their addresses are given. Keeps
// the objects that oneDNN requires around addresses, since making them takes longer than a small product. Thread-safe.
class Call {
 public:
  using Argument = std::pair<int, dnnl::memory::desc>;
  Call(dnnl::primitive primitive, std::vector<Argument> arguments);

  void run(std::span<std::byte* const> addresses) const;

 private:
  struct Memories {
    dnnl::stream stream{engine()};  // only one thread at a time may use a stream
    std::vector<dnnl::memory> objects;
    std::vector<dnnl_exec_arg_t> arguments;
  };
  Memories make_memories() const;
  void run(Memories& memories, std::span<std::byte* const> addresses) const;

  dnnl::primitive primitive_;
  std::vector<Argument> arguments_;
  mutable std::atomic_flag busy_;  // set while a thread uses the kept memories
  mutable Memories kept_;
};

}  // namespace weft::compiler::onednn
