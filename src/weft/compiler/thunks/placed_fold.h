// The compiled body of a scatter of rows, which folds rows of updates into rows of the operand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <weft/compiler/thunks/body.h>

namespace weft::compiler {

// Thread-safe.
class PlacedFold {
 public:
  // `body` takes accumulators, then as many updates. `columns`: the number of columns of every run; 0: any number.
  PlacedFold(const ir::Graph& body, DType index, std::int64_t columns, const NativeContext& context);

  void run(const IndexedRows& rows, std::int64_t columns, std::span<std::byte* const> accumulators,
           std::span<std::byte* const> updates) const;

  // Returns the size in bytes of an element of accumulator and update number i.
  std::int64_t accumulator_bytes(std::size_t i) const { return accumulator_bytes_[i]; }
  std::int64_t update_bytes(std::size_t i) const { return update_bytes_[i]; }

 private:
  DType index_;
  std::vector<std::int64_t> accumulator_bytes_, update_bytes_;
  std::shared_ptr<const Routine> routine_;
  std::unique_ptr<const Body> body_;  // if it has more than elementwise ops
};

}  // namespace weft::compiler
