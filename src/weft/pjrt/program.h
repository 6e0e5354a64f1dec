// Compiled programs, for one device or for several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <pjrt_c_api.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weft/ir/boundary.h>
#include <weft/ir/graph.h>
#include <weft/runtime/executable.h>

struct PJRT_Layouts_MemoryLayout;

namespace weft::pjrt {

// Texts as the interface passes them.
class Texts {
 public:
  Texts() = default;
  explicit Texts(std::vector<std::string> texts);
  Texts(const Texts&) = delete;
  Texts& operator=(const Texts&) = delete;
  Texts(Texts&&) = default;
  Texts& operator=(Texts&&) = default;

  std::size_t size() const { return texts_.size(); }
  std::string_view operator[](std::size_t i) const { return texts_[i]; }
  const char* const* pointers() const { return pointers_.data(); }
  const std::size_t* sizes() const { return sizes_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<const char*> pointers_;
  std::vector<std::size_t> sizes_;
};

// Immutable once compiled. A program for several devices is divided among them: each has a shard of each argument and result.
struct Program {
  std::string code, compile_options;  // as they were given
  // The text is that of the program as it was read or, if it is for several devices, of the one that each of them runs.
  std::string name, text;
  std::shared_ptr<const ir::Graph> graph;
  // Runs all devices. What device d passes for the input that would be number i of one device is number i * devices.size() + d; the same
  // holds for outputs.
  std::shared_ptr<const runtime::Executable> executable;
  std::vector<ir::Port> inputs, outputs;  // with the types of shards
  std::vector<bool> donated;              // for each of `inputs`: whether a launch may use its memory for outputs
  std::int64_t replicas = 1;              // if there are several, each device runs one; otherwise each runs a partition
  std::vector<PJRT_Device*> devices;      // in the order of replicas or partitions
  // The same for JAX, which reads arrays of them.
  std::vector<PJRT_Buffer_Type> output_types;
  std::vector<int64_t> output_dims;  // of all outputs, one after the other
  std::vector<std::size_t> output_ranks;
  std::vector<std::size_t> output_memories;  // indices in memory_kinds
  Texts output_memory_kinds;                 // their names
  std::vector<PJRT_Layouts_MemoryLayout*> input_layouts, output_layouts;
  std::vector<PJRT_NamedValue> costs;  // of one device, by XLA's names
  std::string device_assignment;
  std::vector<PJRT_LogicalDeviceIds> logical_ids;
  Texts input_shardings, output_shardings;  // as OpShardings; empty if there is one device
};

// Compiles StableHLO, bytecode or text, with options that read_compile_options() reads. Throws UnsupportedError for what cannot be divided
// among devices, and Error if there are too few.
std::shared_ptr<const Program> compile(std::string_view code, std::string_view options);

}  // namespace weft::pjrt
