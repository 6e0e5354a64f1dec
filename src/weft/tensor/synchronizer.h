// One sync of a recording.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <weft/tensor/backend.h>
#include <weft/tensor/plan_cache.h>
#include <weft/tensor/recording.h>
#include <weft/tensor/sync.h>

namespace weft::detail {

class Synchronizer {
 public:
  explicit Synchronizer(Recording& recording) : recording_(recording) {}
  void run();

  // Of this thread.
  struct Last {
    SyncStats stats;
    std::optional<compiler::Report> report;
    std::shared_ptr<const ir::Graph> compiled;  // what the next one is compared with, to say why it had to be compiled
  };
  static Last& last();

 private:
  // How an input is bound: part of a plan's identity.
  enum class Binding : std::uint8_t { kept, donatable, number };
  // Where a live tensor finds its buffer after the launch: it is an input's, or that of an output.
  struct Place {
    runtime::BufferPtr input;
    std::uint32_t output = 0;
  };
  // Memory kept from sync to sync.
  struct Scratch {
    std::vector<Binding> bindings;
    std::vector<ir::Value> outputs;
    std::vector<Place> places;                // one per live tensor
    std::vector<std::uint32_t> first_output;  // by node id
    std::vector<runtime::BufferPtr> arguments;
  };
  static Scratch& scratch();

  void bind_inputs();
  void collect_outputs();
  Place place_of(ir::Value value);
  Place place_of_input(std::size_t index);
  Fingerprint key() const;
  std::shared_ptr<Plan> find_plan(const Fingerprint& key);
  std::shared_ptr<Plan> make_plan();
  std::vector<runtime::BufferPtr> launch(Plan& plan);
  void commit(const std::vector<runtime::BufferPtr>& results);

  Recording& recording_;
  Scratch& scratch_ = scratch();
  Backend backend_ = backend();
};

}  // namespace weft::detail
