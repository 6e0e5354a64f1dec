#include <weft/train/agreement.h>

#include <vector>

#include <weft/tensor/creation.h>
#include <weft/tensor/reduction.h>

namespace weft::train {

Agreement::Agreement(const Mesh& mesh) : mesh_(mesh) {
  for (const Mesh::Axis& axis : mesh.axes()) all_axes_ += (all_axes_.empty() ? "" : ",") + axis.name;
}

int Agreement::largest(int vote) {
  const std::vector<float> own(mesh_.devices(),
                               static_cast<float>(vote));  // each process uploads the part of its devices
  const Tensor votes = from_vector(own, {mesh_.devices()}).sharded(PartitionSpec({all_axes_}), mesh_);
  votes_.push_back(max(votes).item_async<double>());
  if (votes_.size() <= steps_ago) return 0;
  const double largest = votes_.front().get();
  votes_.pop_front();
  return static_cast<int>(largest);
}

}  // namespace weft::train
