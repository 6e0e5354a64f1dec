// The mesh on which this thread's programs run, and moving tensors to its devices.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <weft/ir/mesh.h>
#include <weft/record/backend.h>
#include <weft/record/tensor_impl.h>
#include <weft/runtime/buffer.h>

namespace weft::compiler {
struct Partitioned;
}

namespace weft::record {

// The mesh on which every program of this thread runs; null: programs run on a mesh only if they read sharded tensors.
const ir::Mesh* mesh();

class MeshScope {
 public:
  // Null changes nothing. The mesh must outlive the scope.
  explicit MeshScope(const ir::Mesh* mesh);
  ~MeshScope();
  MeshScope(const MeshScope&) = delete;
  MeshScope& operator=(const MeshScope&) = delete;

 private:
  const ir::Mesh* before_;
};

// Returns the layout of a tensor of which every device of the mesh holds a copy.
runtime::LayoutId replicated(const ir::Mesh& mesh, int rank);

// Returns a buffer with the same elements and another layout. Waits for the elements and copies them through the host.
runtime::BufferPtr moved(const runtime::BufferPtr& buffer, runtime::LayoutId layout);

// Has a recorded tensor computed in this layout, so that it never is whole on one device. Returns false, and changes nothing, if the tensor
// is computed already, has other owners, or belongs to a program for another mesh.
bool compute_as(TensorImpl& recorded, runtime::LayoutId layout);

// Moves a tensor that is the state of a model, so that it is not moved by every program that reads it. Does nothing if it is on a mesh.
void move_state(TensorImpl& state, runtime::LayoutId layout);
// The same to the layout that the tensor is to have, or else to all devices of this thread's mesh, if there is one.
void move_state(TensorImpl& state);

// How a program for a mesh is built.
struct MeshProgram {
  ir::Mesh mesh;
  std::vector<runtime::LayoutId> inputs;   // none: a number, which the host gives to all devices
  std::vector<runtime::LayoutId> outputs;  // none: as the data flow decides
};
std::shared_ptr<const runtime::Executable> build_for_mesh(Backend backend, const ir::Graph& graph,
                                                          const MeshProgram& program, std::vector<bool> donatable,
                                                          std::optional<compiler::Report>& report);
// The two halves of it. `shared` says which inputs have no layout; `whole` names the program.
compiler::Partitioned divide_for_mesh(const ir::Graph& graph, const MeshProgram& program);
std::shared_ptr<const runtime::Executable> build_divided(Backend backend, const ir::Graph& whole,
                                                         const compiler::Partitioned& divided,
                                                         std::vector<bool> donatable, const std::vector<bool>& shared,
                                                         compiler::Report before,
                                                         std::optional<compiler::Report>& report);

}  // namespace weft::record
