// Divides a training step on a mesh into what can be computed for the next batch while the step of the current one still runs, and the rest.
// TorchRec has such pipelines, written by hand; here the parts follow from what depends on what.
//
// An exchange between devices that depends on the batch alone can always run ahead. One that depends on the batch and on embedding tables, but
// on no other state, can run as soon as the tables are updated, before the rest of the step has ended. The step has been divided among the
// devices before, so its exchanges are nodes, and stay what they are: the same bits are computed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <weft/compiler/options/ahead.h>
#include <weft/compiler/spmd/partition.h>

namespace weft::compiler {

// An input of a step.
struct StepInput {
  enum class Kind : std::uint8_t {
    batch,  // given with the batch, or always the same
    table,
    other,
  };
  Kind kind = Kind::other;
  std::int64_t next = -1;  // of a table: the output that is its next value; -1: it stays
};

// The programs of a pipeline. The results of exchanges that run ahead are called `values`; each device has its own.
struct LookAhead {
  std::vector<std::size_t> batch, tables;  // the inputs of the step that the values depend on
  std::vector<Type> values;                // of one device
  std::vector<Communication> exchanges;    // that make the values, in `step`
  std::shared_ptr<const ir::Graph> step;   // of a device
  Partitioned fill;                        // batch..., tables... -> values...
  Partitioned steady;  // inputs of the step..., values..., batch of the next step... -> outputs..., values...
  Partitioned drain;   // inputs of the step..., values... -> outputs...
};

// `results` are the outputs of the step that the caller gets, such as the loss. Returns nullopt if nothing can be computed ahead.
std::optional<LookAhead> look_ahead(const Partitioned& step, std::span<const StepInput> inputs,
                                    std::span<const std::size_t> results, Ahead ahead);

}  // namespace weft::compiler
