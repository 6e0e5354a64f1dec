// The recording of a thread: the graph to which its operations are appended, the buffers and numbers that became its inputs,
// and the tensors that are values of it. Not thread-safe: each thread has its own.
//
//   Recording& recording = Recording::current();
//   const ir::Value x = recording.value_of(tensor, "relu");  // its node, or a new input for its buffer
//   TensorPtr result = recording.wrap(ir::max(x, zero));     // alive: an output of the next sync
//   recording.sync();                                        // compiles and launches; result now has a buffer
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <unordered_map>
#include <vector>

#include <weft/ir/graph.h>
#include <weft/record/growth.h>
#include <weft/record/launched_graph.h>
#include <weft/record/observer.h>
#include <weft/record/session.h>
#include <weft/record/tensor_impl.h>
#include <weft/runtime/buffer.h>

namespace weft::record {

class Recording {
 public:
  Recording();
  // Makes a recording for the body of a loop or branch, which is current until leave(). A value from outside becomes an input of it.
  explicit Recording(Recording& parent);
  void leave();
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // Returns the innermost recording of this thread.
  static Recording& current();

  // Returns the value of a tensor. A buffer, or a value of an outer recording, becomes an input at its first use. Throws Error for a
  // tensor without a value here, led by `function`.
  ir::Value value_of(const TensorPtr& tensor, const char* function);
  // Makes a new input that the host provides with every launch.
  ir::Value immediate(Type type, const Immediate& bytes, const ImmediateSource& source = {});

  // Makes a tensor for a value of this recording. It is live until it is dropped or launched.
  TensorPtr wrap(ir::Value value);
  // Returns an equal value that gradients distinguish from `value`.
  ir::Value copy(ir::Value value);
  void is_copy(ir::Value value) { copies_.push_back(value); }
  std::span<const ir::Value> copies() const { return copies_; }
  ir::Value original(ir::Value value) const;  // follows copies of copies; returns other values unchanged

  // Tells what is kept of a launched recording: the graph, if gradients may reach back into it because the host read a value.
  enum class Keep : std::uint8_t { nothing, graph };
  // Closes the recording, launches it and begins the next: see weft::sync(). Returns false if the observer let nothing be launched.
  bool sync(Keep keep = Keep::nothing);
  // Discards what is recorded if nobody holds any of it.
  void drop_dead();

  // Makes the recording run on a mesh. Throws Error, led by `function`, if it runs on another one.
  void runs_on(const ir::Mesh& mesh, const char* function);
  const std::optional<ir::Mesh>& mesh() const { return mesh_; }

  // Notes that a gradient by `wrt` was taken.
  void differentiated(std::span<const ir::Value> wrt);
  // Returns whether a gradient was taken by one of them since the last sync.
  bool were_differentiated(std::span<const ir::Value> wrt) const;
  // Throws Error if `loss` depends on a tensor that an automatic sync launched and that is not in `wrt`: the part of the
  // gradient that flows through this tensor would be lost.
  void require_whole(ir::Value loss, std::span<const ir::Value> wrt, const char* function) const;

  struct Input {
    runtime::BufferPtr buffer;           // null: the next of the numbers
    const TensorImpl* tensor = nullptr;  // the tensor that had the buffer; may no longer exist
    std::uint64_t identity = 0;          // identity of the tensor
    Origin origin = {};                  // the value that it was before a read launched it
    bool is_state = false;               // a Parameter had the tensor
    bool is_cut = false;                 // an automatic sync launched the tensor
    runtime::LayoutId layout = {};       // the one that the tensor has or is to have
  };
  // One for each input of the graph; a body has none.
  std::span<const Input> inputs() const { return inputs_; }

  ir::Graph& graph() { return *graph_; }
  const TensorImpl* first_live() const { return live_.next == &live_ ? nullptr : live_.next; }
  const TensorImpl* next_live(const TensorImpl& live) const { return live.next == &live_ ? nullptr : live.next; }

  // The tensors from outside that a body uses, in the order in which they became inputs.
  bool is_body() const { return parent_ != nullptr; }
  Recording* parent() { return parent_; }
  std::span<const TensorPtr> captures() const { return captures_; }
  ir::Value capture(const TensorPtr& tensor);
  std::shared_ptr<const ir::Graph> finish_body(std::vector<ir::Value> outputs);

  // The path of the module that is being recorded, of static storage; an empty string outside of modules.
  const char* scope() const { return scope_; }
  void set_scope(const char* path) { scope_ = path; }

  // Begins the call of a public function, up to end_call(). The outermost call provides the place of everything recorded within
  // it. Throws Error if a recording that is never synced has to be launched in parts and this fails.
  void begin_call(const std::source_location& where) {
    if (depth_++ != 0) return;
    if (has_grown()) [[unlikely]]
      cut_if_repeated();
    graph_->set_location({where.file_name(), scope_, where.line()});
  }
  void end_call() { --depth_; }
  bool is_outermost_call() const { return depth_ == 1; }
  // Returns where the user called the public function that is running, here or in an enclosing recording; empty if none is.
  std::string place_of_call() const;

 private:
  friend class SetAside;
  friend class Synchronizer;
  friend struct TensorImpl;

  explicit Recording(Recording* parent);

  ir::Value input_of(TensorImpl& impl, const char* function);
  std::optional<std::size_t> position_of(const TensorImpl& impl);  // index among the inputs
  static void require_here(const TensorImpl& impl, const char* function);
  void append_live(TensorImpl& impl);
  static void unlink(TensorImpl& impl);
  void let_go_of_inputs();
  void clear();  // and begins the next recording
  void begin_epoch();
  void forget_live();  // the tensors lose their values
  bool has_grown() const { return graph_->nodes().size() >= growth_.limit(); }
  void cut_if_repeated();
  std::vector<bool> lost_gradients() const;
  bool may_be_differentiated() const;
  std::shared_ptr<LaunchedGraph> to_be_launched() const;

  std::shared_ptr<ir::Graph> graph_;
  std::shared_ptr<ir::Graph> spare_;  // a spare graph, reused once nobody else holds it
  Recording* parent_ = nullptr;
  std::uint64_t epoch_ = 0;  // of this recording since its last sync; unique in the process; 0 for a body
  int depth_ = 0;            // number of public functions that are being called
  const char* scope_ = "";
  Growth growth_;
  std::vector<ir::Value> differentiated_;  // values by which gradients were taken
  std::vector<ir::Value> copies_;
  std::optional<ir::Mesh> mesh_;  // of the sharded tensors

  std::vector<Input> inputs_;
  // The index of the first `indexed_` inputs, filled on demand.
  std::unordered_map<const TensorImpl*, std::size_t> positions_;
  std::size_t indexed_ = 0;
  std::vector<Immediate> immediates_;  // the numbers among the inputs
  std::vector<TensorPtr> captures_;
  std::vector<ir::Value> capture_values_;
  TensorImpl live_{Type()};  // head of the ring of live tensors, oldest first
};

// Gives this thread another, empty recording for the lifetime of this object. Meanwhile, the original recording prevents no
// donation.
class SetAside {
 public:
  SetAside();
  ~SetAside();
  SetAside(const SetAside&) = delete;
  SetAside& operator=(const SetAside&) = delete;

 private:
  Recording& recorded_;
  Recording other_;
};

}  // namespace weft::record
