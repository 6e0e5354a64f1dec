// Divides a training step into what can be computed for the next batch while the step of the current one still runs, and the rest. As the
// pipelines of TorchRec, which are written by hand; here the parts follow from what depends on what.
//
// What depends on the batch alone can always be computed ahead. Lookups in embedding tables depend on the batch and on the tables, not on
// other state: they can be computed as soon as the tables are updated, before the rest of the step has ended.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weft/ir/graph.h>
#include <weft/ir/sharding.h>

namespace weft::jit {

// Which values are computed ahead.
enum class Ahead : std::uint8_t {
  nothing,
  ids,            // the exchange of ids, which lookups need
  lookups,        // lookups, and what depends on nothing else, from tables as the current step leaves them
  stale_lookups,  // the same, from tables as the step before the current one left them
};

// An input of a step.
struct StepInput {
  enum class Kind : std::uint8_t {
    batch,  // given with the batch, or always the same
    table,
    other,
  };
  Kind kind = Kind::other;
  std::int64_t next = -1;                     // of a table: the output that is its next value; -1: it stays
  std::optional<ir::Sharding> sharding = {};  // if the step runs on a mesh
};

// The programs of a pipeline. The values that are computed ahead are called `values`.
struct LookAhead {
  std::vector<std::size_t> batch, tables;  // the inputs of the step that the values depend on
  std::vector<Type> values;
  std::vector<std::optional<ir::Sharding>> shardings;  // of the values, on a mesh
  std::vector<std::string> names;                      // of the values, for people; empty for an input of the step
  std::vector<std::int64_t> inputs;                    // of the values: the input of the step that it is, or -1
  std::shared_ptr<ir::Graph> fill;                     // batch..., tables... -> values...
  std::shared_ptr<ir::Graph>
      steady;  // inputs of the step..., values..., batch of the next step... -> outputs..., values...
  std::shared_ptr<ir::Graph> drain;  // inputs of the step..., values... -> outputs...
};

// Returns nullopt if nothing can be computed ahead. `outputs` are values of `step`; `results` are those among them that the caller gets, such
// as the loss.
std::optional<LookAhead> look_ahead(const ir::Graph& step, std::span<const ir::Value> outputs,
                                    std::span<const ir::Value> results, std::span<const StepInput> inputs, Ahead ahead);

}  // namespace weft::jit
