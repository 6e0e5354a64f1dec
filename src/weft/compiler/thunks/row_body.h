// A function of one row, which a thunk calls for one row after another, in place: the body of an update, or a part of a sum of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <weft/compiler/loop/kernel_source.h>
#include <weft/compiler/plan/unit.h>
#include <weft/compiler/thunks/native_context.h>
#include <weft/compiler/thunks/region.h>

namespace weft::compiler {

// Thread-safe. The first output replaces input 0; output i replaces input i + 1, since input 1 of an update is a gradient.
class RowBody {
 public:
  RowBody(const ir::Graph& graph, const NativeContext& context);

  // Runs the body for one row after another; each thread needs its own.
  class Runner {
   public:
    explicit Runner(const RowBody& body);
    // Sets the address of an input, which stays until it is set again. Inputs that outputs replace are overwritten by run().
    void set(std::size_t input, std::byte* address) { addresses_[input] = address; }
    void run();

   private:
    const RowBody& body_;
    std::vector<std::byte*> addresses_;  // of each value: inputs, outputs, then temporaries
    std::vector<std::byte*> buffers_;    // of the kernel that is called
    std::vector<std::uint64_t> memory_;
  };

 private:
  struct Call {
    std::shared_ptr<Routine> routine;
    std::vector<std::size_t> buffers;  // values
    std::vector<std::int64_t> parameters;
    std::int64_t tasks = 0, scratch_bytes = 0;
  };

  // Makes kernels of the body; returns whether it consists only of kernels.
  bool make_kernels(const ir::Graph& graph, const NativeContext& context);
  void choose_in_place(const Unit& only);
  static std::size_t replaced(std::size_t output) { return output == 0 ? 0 : output + 1; }

  struct Copy {
    std::size_t from, to;  // values
  };

  std::vector<std::uint64_t> bytes_;  // of each value
  std::size_t inputs_ = 0, outputs_ = 0;
  std::vector<Call> calls_;
  std::vector<Copy> before_, after_;  // what is copied before and after the calls
  std::optional<Region> region_;      // runs the body if it has more than kernels
};

}  // namespace weft::compiler
