#include <weft/ir/ops/probe.h>

#include <weft/ir/ops/rules.h>

namespace weft::ir {

void probe_type(const Call& call, std::vector<Type>& results) {
  call.require(!call.attributes<ProbeAttributes>().name.empty(), "a probe needs a name");
  results.push_back(call.type(0));
}

void print_type(const Call&, std::vector<Type>&) {}

void expect_serialized_eq_type(const Call& call, std::vector<Type>&) {
  const auto& a = call.attributes<ProbeCheckAttributes>();
  call.require(!a.name.empty(), "a probe needs a name");
  call.require(a.iteration >= 0, "there is no iteration ", a.iteration);
}

}  // namespace weft::ir
