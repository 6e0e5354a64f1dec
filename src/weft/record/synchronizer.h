// One sync of a recording.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include <weft/base/knobs.h>
#include <weft/record/backend.h>
#include <weft/record/compile_ahead.h>
#include <weft/record/mesh.h>
#include <weft/record/missed_donations.h>
#include <weft/record/plan_cache.h>
#include <weft/record/recording.h>
#include <weft/record/size_families.h>
#include <weft/record/sync.h>

namespace weft::record {

class Synchronizer {
 public:
  explicit Synchronizer(Recording& recording) : recording_(recording) {}
  // Launches what is recorded. `kept` receives the launched graph if gradients may reach back into it. Returns false if the observer
  // stopped the launch.
  bool run(std::shared_ptr<LaunchedGraph> kept = nullptr);

  // What the last syncs of this thread did.
  struct Last {
    SyncStats stats;
    std::optional<compiler::Report> report;
    bool compiled_for_sizes = false;                 // the last compiled program is a sized program
    std::string single_size_reason;                  // if not, the reason; empty where it could not be one
    std::vector<ir::SizeRelation> broken_relations;  // size relations that no longer hold, which caused the compilation
    std::unordered_set<std::string> places;          // the names of the programs compiled so far
    MissedDonations missed_donations;
    // The last compiled graph, compared with the next one to tell why that had to be compiled.
    std::shared_ptr<const ir::Graph> compiled;
  };
  static Last& last() { return of_this_thread().last; }

  // Closes the recording as run() does, but launches nothing: its tensors lose their values. If `keep` is set, the graph
  // becomes a sample for sized programs.
  void run_as_sample(bool keep);
  // Does the same for a program that is to be compiled ahead. Returns nullopt if there is nothing to compile.
  std::optional<CompileAhead::Job> run_as_job();

 private:
  // How an input is bound; part of a plan's identity.
  enum class Binding : std::uint8_t { kept, donatable, number };
  // Where a live tensor finds its buffer after the launch: the buffer of an input, or of an output.
  struct Place {
    runtime::BufferPtr input;
    std::uint32_t output = 0;
  };
  // Memory that is reused from sync to sync.
  struct Scratch {
    std::vector<Binding> bindings;
    std::vector<ir::Value> outputs;
    std::vector<std::uint32_t> output_ids;          // node ids of `outputs`, so that the nodes need not be touched
    std::vector<runtime::LayoutId> output_layouts;  // those that `outputs` are to have; missing at the end: none
    std::vector<TensorImpl*> live;                  // in the recording's order
    std::vector<Place> places;                      // one for each of `live`
    // Indexed by node id: the first output of the node, and the number of the sync that wrote the entry, so that nothing has to
    // be cleared.
    struct First {
      std::uint64_t sync = 0;
      std::uint32_t output = 0;
    };
    std::vector<First> first_output;
    std::uint64_t sync = 0;  // number of this sync
    std::vector<runtime::BufferPtr> arguments, results;
    std::vector<Type> result_types;
  };
  struct ThreadState {
    Scratch scratch;
    Last last;
  };
  static ThreadState& of_this_thread();

  std::vector<bool> donatable() const;
  void let_go();  // releases the recorded graph

  void collect();
  void bind();
  void bind_inputs();
  void find_mesh();
  void move_to_mesh(std::span<runtime::BufferPtr> arguments) const;
  void collect_outputs();
  void show_stages();
  void promise_results();
  bool run_program();
  Place place_of(const TensorImpl& impl);
  runtime::LayoutId layout_of_output(std::size_t i) const;
  void set_layout_of_output(std::size_t i, runtime::LayoutId layout);
  Place place_of_input(std::size_t index);
  Fingerprint key(bool strict = knobs::strict()) const;
  Fingerprint key_without_sizes() const;
  void add_bindings(Fingerprint& key, bool strict) const;  // and the backend and knobs
  std::string why_forgotten() const;  // why a program that was known cannot be found; empty if it is new
  // Returns the plan of the recorded graph for the backend; null if none is known.
  std::shared_ptr<Plan> known_plan();
  std::shared_ptr<Plan> find_plan(const Fingerprint& key);
  bool uses_symbols() const;
  std::shared_ptr<Plan> plan_for_sizes();  // from a sized program; null if there is none
  std::shared_ptr<Plan> make_plan();
  void launch(Plan& plan);
  void let_go_of(std::span<const runtime::BufferPtr> arguments) const;
  void take_back(std::vector<runtime::BufferPtr>& arguments, bool is_held);  // after a launch that was refused
  void commit();
  void keep(TensorImpl& impl);  // for gradients
  void require_finite(const std::vector<runtime::BufferPtr>& results);

  Recording& recording_;
  Scratch& scratch_ = of_this_thread().scratch;
  Backend backend_ = backend();
  std::shared_ptr<LaunchedGraph> kept_;
  Fingerprint identity_;  // of the launched graph
  bool is_kept_ = false;  // whether the cache has the plan
  std::uint64_t waited_ns_ = 0;
  SizeFamilies::Known sizes_;        // for a graph that has no program of its own
  bool is_sharded_ = false;          // the program reads or makes sharded tensors
  std::optional<MeshProgram> mesh_;  // nullopt: the program runs on one device

  bool debugs_nans_ = knobs::debug_nans();
  std::shared_ptr<const ir::Graph> launched_graph_;  // the launched graph and inputs are kept only if debugs_nans_
  std::vector<runtime::BufferPtr> launched_inputs_;
};

}  // namespace weft::record
