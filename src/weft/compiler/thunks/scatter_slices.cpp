#include <weft/compiler/thunks/scatter_slices.h>

#include <weft/compiler/thunks/copy_thunk.h>

namespace weft::compiler {

ScatterSlices::Addresses ScatterSlices::begin(const runtime::Launch& launch) const {
  Addresses addresses{launch.at(indices_), {}, {}};
  for (std::size_t i = 0; i < results_.size(); ++i) {
    copy_bytes(launch, operands_[i], results_[i]);
    addresses.results.push_back(launch.at(results_[i]));
    addresses.updates.push_back(launch.at(updates_[i]));
  }
  return addresses;
}

}  // namespace weft::compiler
