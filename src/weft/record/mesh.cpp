#include <weft/record/mesh.h>

#include <utility>

#include <weft/compiler/on_mesh.h>
#include <weft/compiler/phase.h>
#include <weft/compiler/sharding_layout.h>
#include <weft/compiler/spmd/partition.h>
#include <weft/record/compile_once.h>
#include <weft/record/compiler_options.h>
#include <weft/record/recording.h>
#include <weft/record/same_program.h>
#include <weft/record/session.h>
#include <weft/record/sync.h>
#include <weft/runtime/ranks.h>

namespace weft::record {

const ir::Mesh* mesh() { return session.mesh; }

MeshScope::MeshScope(const ir::Mesh* mesh) : before_(session.mesh) {
  if (mesh) session.mesh = mesh;
}
MeshScope::~MeshScope() { session.mesh = before_; }

runtime::LayoutId replicated(const ir::Mesh& mesh, int rank) { return compiler::layout_for(ir::Sharding(mesh, rank)); }

runtime::BufferPtr moved(const runtime::BufferPtr& buffer, runtime::LayoutId layout) {
  return device().upload(buffer->type(), compiler::readable(device(), buffer)->bytes(), layout);
}

bool compute_as(TensorImpl& recorded, runtime::LayoutId layout) {
  if (recorded.buffer || !recorded.recording || recorded.is_input || recorded.references != 1) return false;
  const ir::Mesh mesh = compiler::sharding_of(layout).mesh();
  const std::optional<ir::Mesh>& of_program = recorded.recording->mesh();
  if ((of_program && *of_program != mesh) || (session.mesh && *session.mesh != mesh)) return false;
  recorded.layout = layout;
  return true;
}

void move_state(TensorImpl& state, runtime::LayoutId layout) {
  if (!state.buffer || state.buffer->layout()) return;
  runtime::BufferPtr to = moved(state.buffer, layout);
  state.let_go_of_buffer();
  state.stamp.store(0, std::memory_order_relaxed);  // it is no longer an input of any recording
  state.set_buffer(std::move(to));
}

void move_state(TensorImpl& state) {
  if (state.layout) return move_state(state, state.layout);
  if (session.mesh) move_state(state, replicated(*session.mesh, state.type.rank()));
}

compiler::Partitioned divide_for_mesh(const ir::Graph& graph, const MeshProgram& program) {
  std::vector<ir::Sharding> inputs;
  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    inputs.push_back(program.inputs[i] ? compiler::sharding_of(program.inputs[i])
                                       : ir::Sharding(program.mesh, graph.inputs()[i].type().rank()));
  std::vector<std::optional<ir::Sharding>> outputs;
  for (const runtime::LayoutId layout : program.outputs)
    outputs.push_back(layout ? std::optional(compiler::sharding_of(layout)) : std::nullopt);
  return compiler::partition(graph, program.mesh, inputs, outputs);
}

std::shared_ptr<const runtime::Executable> build_divided(Backend backend, const ir::Graph& whole,
                                                         const compiler::Partitioned& divided,
                                                         std::vector<bool> donatable, const std::vector<bool>& shared,
                                                         compiler::Report before,
                                                         std::optional<compiler::Report>& report) {
  require(backend != Backend::interpreter || runtime::ranks().count == 1,
          "the interpreter runs all devices of a mesh in one process: start a single one, or choose another backend");
  if (backend == Backend::interpreter)
    return compiler::for_mesh(interpreted(divided.graph, donatable, true), divided, compiler::Options::from_knobs(),
                              shared);
  const compiler::Options options = compiler_options(whole, backend, std::move(donatable));
  require_same_program(*divided.graph, concat(options.target->cpu, options.target->features,
                                              options.communication_key(), options.strict, options.fuse));
  return compile_once(
      [&](compiler::Report& made) {
        made = std::move(before);
        return compiler::compile_for_mesh(divided, options, &made, shared);
      },
      report);
}

std::shared_ptr<const runtime::Executable> build_for_mesh(Backend backend, const ir::Graph& graph,
                                                          const MeshProgram& program, std::vector<bool> donatable,
                                                          std::optional<compiler::Report>& report) {
  std::vector<bool> shared;
  for (const runtime::LayoutId layout : program.inputs) shared.push_back(!layout);
  compiler::Report of_division;
  const compiler::Partitioned divided = [&] {
    const compiler::Phase phase(of_division, "divide");
    return divide_for_mesh(graph, program);
  }();
  return build_divided(backend, graph, divided, std::move(donatable), shared, std::move(of_division), report);
}

}  // namespace weft::record
