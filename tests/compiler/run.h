// Runs compiled graphs, for tests.
#pragma once

#include <random>
#include <vector>

#include <weft/compiler/compiler.h>
#include <weft/compiler/options/target.h>
#include <weft/ir/array.h>
#include <weft/runtime/cpu/cpu_device.h>
#include <weft/runtime/parallel.h>

namespace weft::test {

inline std::vector<ir::Array> run(std::shared_ptr<const runtime::Executable> executable,
                                  std::span<const ir::Array> inputs) {
  auto& device = runtime::cpu();
  std::vector<runtime::BufferPtr> buffers;
  for (const ir::Array& input : inputs) buffers.push_back(device.upload(input.type(), input.bytes()));
  std::vector<ir::Array> outputs;
  for (const auto& buffer : device.launch(executable, buffers)) outputs.emplace_back(buffer->type(), buffer->bytes());
  return outputs;
}

// Sets the number of threads that run kernels for the lifetime of this object.
class Threads {
 public:
  explicit Threads(int count) : before_(runtime::thread_count()) { runtime::set_thread_count(count); }
  ~Threads() { runtime::set_thread_count(before_); }

 private:
  int before_;
};

// Returns the host as if its vectors had so many lanes, and forgets kernels, which are kept by the target's name.
inline compiler::Target host_with_lanes(int lanes) {
  compiler::Target target = compiler::Target::host();
  target.lanes = lanes;
  compiler::clear_kernel_cache();
  return target;
}

inline std::vector<ir::Array> run_compiled(const ir::Graph& graph, std::span<const ir::Array> inputs,
                                           const compiler::Options& options = {}, compiler::Report* report = nullptr) {
  return run(compiler::compile(graph, options, report), inputs);
}

// Returns normally distributed inputs for a graph whose inputs are f32.
inline std::vector<ir::Array> normal_inputs(const ir::Graph& graph) {
  std::mt19937 generator(7);
  std::normal_distribution<float> normal;
  std::vector<ir::Array> inputs;
  for (const ir::Value v : graph.inputs())
    for (float& x : inputs.emplace_back(v.type()).data<float>()) x = normal(generator);
  return inputs;
}

}  // namespace weft::test
