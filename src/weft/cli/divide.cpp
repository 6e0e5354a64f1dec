#include <weft/cli/divide.h>

#include <vector>

#include <weft/base/error.h>
#include <weft/compiler/spmd/buckets.h>
#include <weft/ir/text/shardy.h>

namespace weft::cli {

compiler::Partitioned divide(const ir::Graph& function, const std::string& file) {
  const auto declared = ir::declared_shardings(function);
  require(declared.has_value(), file,
          ": there is no sdy.mesh, so it is not known among which devices to divide the program");
  std::vector<ir::Sharding> inputs;
  for (std::size_t i = 0; i < declared->inputs.size(); ++i)
    inputs.push_back(declared->inputs[i].value_or(ir::Sharding(declared->mesh, function.inputs()[i].rank())));
  return compiler::partition(function, declared->mesh, inputs, declared->outputs);
}

compiler::Partitioned divide_and_join(const ir::Graph& function, const std::string& file) {
  const compiler::Partitioned divided = divide(function, file);
  auto options = compiler::Options::from_knobs();
  options.devices = divided.mesh.devices();
  return compiler::join_collectives(divided, options);
}

}  // namespace weft::cli
